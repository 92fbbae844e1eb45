// Returns the accessibility problems of the page as it is, one line each. Runs as the body of a function; `arguments[0]` says whether
// the window is a phone's.

const isPhone = arguments[0];
const found = [];
const isShown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && element.getClientRects().length > 0;
const shownAs = (element) => `<${element.localName}${element.id ? `#${element.id}` : ""} class="${element.getAttribute("class") ?? ""}"> ${(element.textContent ?? "").trim().slice(0, 40)}`;
const isUnseen = (element) => element.closest(".unseen, .skip, svg, noscript") !== null;

// Every control has a name, and ids are unique.
const nameOf = (element) => [
  element.getAttribute("aria-label"),
  ...(element.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean).map((id) => document.getElementById(id)?.textContent),
  ...[...(element.labels ?? [])].map((label) => label.textContent), element.getAttribute("title"),
  element.matches("input, select, textarea") ? "" : element.textContent,
].find((name) => name?.trim()) ?? "";
for (const element of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0'], [role='img']")) {
  if (isShown(element) && nameOf(element).trim() === "") found.push(`no name: ${shownAs(element)}`);
}
for (const image of document.querySelectorAll("img:not([alt])")) found.push(`no words for a picture: ${shownAs(image)}`);
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) found.push(`two elements have the id ${id}`);
for (const attribute of ["aria-describedby", "aria-labelledby", "for"]) {
  for (const element of document.querySelectorAll(`[${attribute}]`)) {
    for (const id of element.getAttribute(attribute).split(" ")) if (!document.getElementById(id)) found.push(`${attribute} names ${id}, which is not there`);
  }
}
for (const element of document.querySelectorAll("button button, a a, a button, button a")) found.push(`one control in another: ${shownAs(element)}`);

// There is one main element, one heading of the first level, and a language.
if (document.documentElement.lang === "") found.push("the page has no language");
if (document.querySelectorAll("main").length !== 1) found.push("there is not one main part");
if ([...document.querySelectorAll("h1")].length !== 1) found.push("there is not one heading of the first level");

// The contrast of texts is at least 4.5 to 1, or 3 to 1 for large ones (WCAG 2.2, 1.4.3).
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}
const over = ([r1, g1, b1, alpha], [r2, g2, b2]) => [r1 * alpha + r2 * (1 - alpha), g1 * alpha + g2 * (1 - alpha), b1 * alpha + b2 * (1 - alpha), 1];
function behind(element) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) {
    const colour = rgba(getComputedStyle(at).backgroundColor);
    if (colour[3] > 0) layers.push(colour);
    if (colour[3] === 1) break;
  }
  return layers.reverse().reduce((below, layer) => over(layer, below), matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1]);
}
const light = ([red, green, blue]) => {
  const [r, g, b] = [red, green, blue].map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
function contrast(element) {
  const back = behind(element);
  let [red, green, blue, alpha] = rgba(getComputedStyle(element).color);
  for (let at = element; at; at = at.parentElement) alpha *= Number(getComputedStyle(at).opacity);
  const [one, other] = [light(over([red, green, blue, alpha], back)), light(back)].sort((a, b) => b - a);
  return (one + 0.05) / (other + 0.05);
}
const seen = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (node.textContent.trim() === "" || seen.has(element) || isUnseen(element) || !isShown(element)) continue;
  seen.add(element);
  const style = getComputedStyle(element);
  const size = Number.parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  const ratio = contrast(element);
  if (ratio < (isLarge ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(2)}: ${shownAs(element)}`);
  if (size < 11) found.push(`letters of ${size} px: ${shownAs(element)}`);
}

// Nothing is wider than the window, and targets are at least 24 px high, except for links within text (WCAG 2.2, 2.5.8).
if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} px wide, the window ${innerWidth}`);
for (const part of document.querySelectorAll("main, #preview")) {
  if (isShown(part) && part.scrollWidth > part.clientWidth + 1) found.push(`${part.id} is wider than it shows: ${part.scrollWidth} px`);
}
if (isPhone) {
  for (const element of document.querySelectorAll("button:not(.internal), select, input, a.button, nav a")) {
    const box = element.getBoundingClientRect();
    if (isShown(element) && !isUnseen(element) && box.height < 24) found.push(`${Math.round(box.height)} px high: ${shownAs(element)}`);
  }
}
return [...new Set(found)];
