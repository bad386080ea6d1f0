// The leaderboard: one system that is chosen shows its profile, two show their comparison.

import { byId, chunk, fill, make, unpack } from "./dom.mjs";
import { Shell, begin } from "./shell.mjs";
import { points } from "./wording.mjs";

class Board extends Shell {
  constructor(data) {
    super();
    this.data = data;
    this.chosen = [];
    byId("standings").addEventListener("change", (event) => {
      const { system } = event.target.dataset;
      if (system === undefined) return;
      this.chosen = event.target.checked ? [...this.chosen, Number(system)].slice(-2) : this.chosen.filter((one) => one !== Number(system));
      this.show();
    });
  }

  /** Keep the boxes of all metrics alike, and show what they ask for. */
  show() {
    const { chosen } = this;
    for (const box of document.querySelectorAll("input[data-system]")) box.checked = chosen.includes(Number(box.dataset.system));
    for (const profile of document.querySelectorAll("[data-profile]")) profile.hidden = !chosen.includes(Number(profile.dataset.profile));
    byId("chosen").hidden = !chosen.length;
    fill(byId("pair"), chosen.length === 2 ? this.comparison() : null);
  }

  /** The differences of two systems by metric. */
  comparison() {
    const names = this.chosen.map((at) => this.data.systems[at]);
    const rows = (this.data.differences[this.chosen.join(" ")] || []).map(([metric, difference, ends, p]) => {
      const bounds = ends ? `[${ends.map((end) => points(end)).join(", ")}]` : "";
      return make("tr", {}, make("th", { scope: "row" }, metric),
        [points(difference), bounds, p].map((text) => make("td", { className: "number" }, text)));
    });
    const heads = ["metric", "difference", "interval", "corrected p"];
    return make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "Comparison" }, make("table", { className: "estimates" },
      make("caption", {}, make("bdi", {}, names[0]), " − ", make("bdi", {}, names[1]), ": differences of F1"),
      make("thead", {}, make("tr", {}, heads.map((text, at) => make("th", { scope: "col", className: at ? "number" : "" }, text)))),
      make("tbody", {}, rows)));
  }
}

begin(async () => new Board(await unpack(chunk("board"))));
