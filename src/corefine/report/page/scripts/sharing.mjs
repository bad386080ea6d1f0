// Cards as links and figures: a picture of what is in view with its caption and the scores' signature.

import { announce, byId, draw, make } from "./dom.mjs";

const SCALE = 2; // pixels of a picture to one of the page
const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "opacity"];

const signature = () => byId("signature").textContent;
const svgText = (element) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(element))}`;
const save = (href, name) => make("a", { href, download: name }).click();

/** Buttons below a card: its address, and itself as a picture. `address` gives the link. */
export function addTools(card, address) {
  const tool = (words, action) => make("button", {
    type: "button", className: "tool", onclick: async (event) => tell(event.target, await action()),
  }, words);
  const copyLink = () => {
    const link = new URL(address(), location.href).href;
    const show = () => history.replaceState(null, "", link);
    return attempt(() => navigator.clipboard.writeText(link), show, "Copy it from the address");
  };
  card.append(make("p", { className: "card-tools" },
    tool("Copy link", copyLink), tool("Copy as figure", () => copyFigure(card))));
}

/** Put the signature of the scores into the clipboard or, where that is refused, select it. */
export async function copySignature({ target }) {
  const select = () => getSelection().selectAllChildren(byId("signature"));
  tell(target, await attempt(() => navigator.clipboard.writeText(signature()), select, "Selected"));
}

/** Copy something or, where that is refused, do something else instead; what was done, in words. */
async function attempt(copy, otherwise, words) {
  try {
    await copy();
    return "Copied";
  } catch {
    otherwise();
    return words;
  }
}

/** Say for a moment on a button what it has done. */
function tell(button, words) {
  const text = button.textContent;
  button.textContent = words;
  announce(words);
  setTimeout(() => { button.textContent = text; }, 1500);
}

/** Put a picture of a card into the clipboard or, where that is refused, into a file. */
async function copyFigure(card) {
  const canvas = await drawn(svgText(cardPicture(card)));
  const blob = await new Promise((done) => { canvas.toBlob(done); });
  return attempt(() => navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]),
    () => save(URL.createObjectURL(blob), "figure.png"), "Saved as figure.png");
}

/** A card as an image of its own: the page's markup and style, its caption and the signature below. */
function cardPicture(card) {
  const copy = make("div", { className: "card picture", style: `width: ${card.offsetWidth}px` },
    [...card.cloneNode(true).childNodes], make("p", { className: "note" }, `${document.title} · ${signature()}`));
  for (const one of copy.querySelectorAll(".card-tools, .filters, .pager, [hidden], .more, dialog")) one.remove();
  for (const one of copy.querySelectorAll("[id]")) one.removeAttribute("id");
  card.after(copy);
  const [width, height] = [copy.offsetWidth, copy.offsetHeight];
  copy.remove();
  const isDark = byId("scheme").value === "dark" ||
    (byId("scheme").value === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const marks = document.querySelector("svg.marks")?.cloneNode(true);
  return draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "data-scheme": isDark ? "dark" : "light" },
    draw("foreignObject", { width, height }, make("style", {}, document.querySelector("style").textContent),
      make("div", { className: "picture-page" }, marks, copy)));
}

/** An image on a canvas. */
async function drawn(source) {
  const image = make("img", { src: source });
  await image.decode();
  const canvas = make("canvas", { width: SCALE * image.width, height: SCALE * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** Save a drawing with its colours, a caption and the signature, as `svg` or `png`. */
export async function saveDrawing(svg, format, caption, name) {
  svg.querySelector(".flow-brush")?.remove();
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  for (const [at, element] of [copy, ...copy.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(originals[at]);
    for (const property of STYLED) element.setAttribute(property, style.getPropertyValue(property));
    element.removeAttribute("class");
  }
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  const lines = [caption, ...(signature().match(new RegExp(`.{1,${Math.floor(width / 6)}}`, "gu")) || [])];
  const tall = height + 24 + 15 * lines.length;
  const { fontFamily, color } = getComputedStyle(document.body);
  const ground = getComputedStyle(svg.closest(".card")).backgroundColor;
  const source = svgText(draw("svg", { width, height: tall, viewBox: `-8 -4 ${width + 16} ${tall + 4}` },
    draw("rect", { x: -8, y: -4, width: width + 16, height: tall + 4, fill: ground }), copy,
    lines.map((line, at) => draw("text", {
      x: 0, y: height + 16 + 15 * at, "font-size": at ? 10 : 12, "font-family": fontFamily, fill: color,
    }, line))));
  save(format === "svg" ? source : (await drawn(source)).toDataURL("image/png"), `${name}.${format}`);
}
