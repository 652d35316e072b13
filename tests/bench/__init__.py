"""What ``make bench`` measures; figures are ratios to something else in the same run."""
