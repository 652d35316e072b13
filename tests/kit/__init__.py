"""What tests of every kind share: phones that ask a page, and phones that listen to it."""
