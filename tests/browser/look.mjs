// Looks at a page of `mk report` in a headless Chromium, as a reader does: three widths, two themes, the keyboard,
// print, axe. usage: node look.mjs MODULES PAGE SHOTS
import { createRequire } from "node:module";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, page_file, shots] = process.argv.slice(2);
const require = createRequire(join(modules, "node_modules", "x.js"));
const { chromium } = require("playwright-core");
const axe = require("axe-core").source;
mkdirSync(shots, { recursive: true });

const wrong = [];
let slowest = 0;
const check = (holds, what) => { if (!holds) wrong.push(what); };
const address = pathToFileURL(page_file).href;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// How the page is laid out, without its colours: where each element is, what is read, which texts lie over others or
// beyond the edge. Fonts differ from machine to machine, so nothing is compared with a picture of another run.
const laid_out = (page) => page.evaluate(() => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const all = [...document.body.querySelectorAll("*")].filter(seen);
  const is_inside = (one, other) => one.contains(other) || other.contains(one);
  // What is only for those who listen is clipped away.
  const is_clipped = (one) => { const head = one.closest("thead"); return head && getComputedStyle(head).clipPath !== "none"; };
  const scrolls = (one) => one.closest(".wide, .bar") || is_clipped(one);
  const boxes = all.map((one) => { const box = one.getBoundingClientRect(); return [box.x, box.y, box.width, box.height].map(Math.round).join(" "); });
  const texts = all.filter((one) => one.children.length === 0 && one.textContent.trim() && !scrolls(one))
    .flatMap((one) => [...one.getClientRects()].map((box) => ({ one, box })))
    .filter(({ box }) => box.width > 1 && box.height > 1)
    .sort((a, b) => a.box.top - b.box.top);
  const what = (one) => `<${one.tagName.toLowerCase()}> ${one.textContent.trim().slice(0, 30)}`;
  const wrong = [];
  texts.forEach(({ one, box }, at) => {
    if (box.left < -1 || box.right > innerWidth + 1) wrong.push(`beyond the edge: ${what(one)}`);
    for (const other of texts.slice(at + 1)) {
      if (other.box.top >= box.bottom) break;
      const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const high = Math.min(box.bottom, other.box.bottom) - other.box.top;
      const is_over = wide > 2 && high > 0.4 * Math.min(box.height, other.box.height);
      if (is_over && !is_inside(one, other.one)) wrong.push(`one over another: ${what(one)} and ${what(other.one)}`);
    }
  });
  for (const picture of document.querySelectorAll("figure svg")) {
    const frame = picture.getBoundingClientRect();
    for (const label of picture.querySelectorAll("text")) {
      const box = label.getBoundingClientRect();
      const is_in = box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
      if (!is_in) wrong.push(`cut off in its picture: ${label.textContent}`);
    }
  }
  const tops = [...document.querySelectorAll("main > section")].map((one) => one.getBoundingClientRect());
  tops.forEach((one, at) => { if (at && one.top < tops[at - 1].bottom - 1) wrong.push(`section ${at + 1} begins before the one above ends`); });
  // Labels that stand in a table's head on a wide page stand beside each cell on a narrow one.
  const read = all.filter((one) => one.children.length === 0 && !one.closest("thead")).map((one) => one.textContent.trim()).join("\n");
  return { boxes, read, wrong };
});

const layouts = new Map();
for (const width of [360, 800, 1280]) {
  for (const theme of ["light", "dark"]) {
    const where = `${width} ${theme}`;
    // The page's own policy forbids what axe and this script put into it: a context of its own for that.
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
    const page = await context.newPage();
    page.on("console", (message) => wrong.push(`${where}: console: ${message.text()}`));
    page.on("pageerror", (error) => wrong.push(`${where}: ${error}`));
    page.on("request", (request) => { if (request.url() !== address) wrong.push(`${where}: request: ${request.url()}`); });
    const begun = Date.now();
    await page.goto(address, { waitUntil: "load" });
    const took = Date.now() - begun;
    slowest = Math.max(slowest, took);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(overflow <= 0, `${where}: ${overflow} pixels beyond the edge`);
    const layout = await laid_out(page);
    layouts.set(where, layout);
    for (const one of new Set(layout.wrong)) wrong.push(`${where}: ${one}`);
    await page.screenshot({ path: join(shots, `top-${width}-${theme}.png`) });
    const first = page.locator("details.problem").first();
    if (await first.count()) {
      await first.locator("summary").click();
      await first.scrollIntoViewIfNeeded();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(wide <= 0, `${where}: an open problem is ${wide} pixels too wide`);
      await page.screenshot({ path: join(shots, `open-${width}-${theme}.png`) });
      await first.locator("summary").click();
    }
    for (const id of ["progress", "submissions", "gaps", "guard"]) {
      await page.evaluate((id) => document.getElementById(id).scrollIntoView(), id);
      await page.screenshot({ path: join(shots, `${id}-${width}-${theme}.png`) });
    }
    if (width !== 800) {
      await first.evaluate((one) => { one.open = true; }).catch(() => {});
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      for (const one of found.violations.filter((one) => ["serious", "critical"].includes(one.impact)))
        wrong.push(`${where}: axe: ${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
    }
    await context.close();
  }
}

for (const width of [360, 800, 1280]) {
  const [light, dark] = ["light", "dark"].map((theme) => layouts.get(`${width} ${theme}`));
  const moved = light.boxes.filter((box, at) => box !== dark.boxes[at]).length;
  check(light.boxes.length === dark.boxes.length && moved === 0, `${width}: ${moved} elements are elsewhere in the dark theme`);
  check(light.read === layouts.get("1280 light").read, `${width}: it does not say what the wide page says`);
}

const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
await page.goto(address);
const focused = () => page.evaluate(() => document.activeElement.tagName + (document.activeElement.id ? `#${document.activeElement.id}` : ""));
const walked = new Set();
for (let step = 0; step < 12; step += 1) {
  await page.keyboard.press("Tab");
  walked.add(await focused());
}
for (const place of ["A", "INPUT#search", "SUMMARY"]) check(walked.has(place), `Tab does not reach ${place}: ${[...walked]}`);
const summary = page.locator("details.problem > summary").first();
await summary.focus();
await page.keyboard.press("Enter");
check(await page.locator("details.problem").first().evaluate((one) => one.open), "Enter does not open a problem");
await page.keyboard.press("/");
check(await focused() === "INPUT#search", "/ does not go to the search");
await page.keyboard.type("zzz-not-there");
await page.waitForTimeout(250);
check(await page.locator(".item:visible").count() === 0, "the search hides nothing");
await page.keyboard.press("Escape");
await page.waitForTimeout(50);
check(await page.locator(".item:visible").count() > 0, "Escape does not end the search");
await page.emulateMedia({ media: "print" });
check(await page.locator(".bar").isHidden(), "the bar is printed");
const pdf = join(shots, "print.pdf");
await page.pdf({ path: pdf, format: "A4" });
check(statSync(pdf).size > 10_000, "nothing is printed");
await browser.close();
for (const one of wrong) console.error(one);
console.log(wrong.length ? `${wrong.length} wrong` : `all well, opened in at most ${slowest} ms; pictures in ${shots}`);
process.exit(wrong.length ? 1 : 0);
