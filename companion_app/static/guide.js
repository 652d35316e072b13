// The guide: the colours that were chosen on this phone, and the chapters open where there is room for them.
import { choice } from "./ui.js";

document.documentElement.dataset.theme = choice("theme");
if (matchMedia("(min-width: 56.25em)").matches)
  document.querySelector(".guide-chapters details").open = true;
