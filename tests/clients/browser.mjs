// A pass through the pages of `git wf web` in headless Chromium: see README.md here.
import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [program, examples, pictures] = process.argv.slice(2).map((it) => path.resolve(it));
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const home = fs.mkdtempSync(path.join(os.tmpdir(), "wf-browser-"));
const repo = path.join(home, "shop");
const as = (name) => ({
  ...process.env,
  // The agents of a run call `git wf`.
  PATH: `${path.dirname(program)}:${process.env.PATH}`,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: name,
  GIT_COMMITTER_NAME: name,
  GIT_AUTHOR_EMAIL: `${name}@example.org`,
  GIT_COMMITTER_EMAIL: `${name}@example.org`,
});
const run = (file, args, input = "") =>
  execFileSync(file, args, { cwd: repo, env: as("ada"), input, stdio: ["pipe", "pipe", "pipe"] }).toString();
const wf = (...args) => run(program, args);
const git = (...args) => run("git", args);

// Texts that want to be more than text.
const EVIL = `<script>alert(1)</script><img src=x onerror=alert(2)>"'> \u202eevil`;

function plan(file, tasks) {
  const task = (n) => ({
    id: `T${n}`,
    title: `Step ${n} of ${file}`,
    action: "Update",
    scope: file,
    files: [{ path: file, action: "modify", change: "one more line" }],
    implementation: ["Read the file", "Write the line", "Look at it"],
    test: { commands: ["true"] },
    acceptance: { criteria: ["The file has one more line than before"], verification: ["true"] },
    depends_on: n > 1 ? [`T${n - 1}`] : [],
  });
  return JSON.stringify({
    description: `Add a line to ${file}`,
    approach: "By hand",
    tasks: Array.from({ length: tasks }, (_, n) => task(n + 1)),
  });
}

function store() {
  fs.mkdirSync(path.join(repo, "src"), { recursive: true });
  git("init", "-q", "-b", "main");
  wf("init", "--hooks");
  for (const name of ["cart", "price", "stock"]) fs.writeFileSync(path.join(repo, `src/${name}.rs`), `// ${name}\n`);
  git("add", ".");
  git("commit", "-qm", "Begin");
  wf("new", "--id", "ISS-1", "The cart forgets its items", "-m", "After a **reload**. See ISS-2.", "-p", "high", "-t", "wave-1");
  wf("new", "--id", "ISS-2", "Prices without a currency", "-t", "wave-1");
  wf("new", "--id", "ISS-3", "Stock is counted twice", "-t", "wave-2");
  wf("new", "--id", "ISS-4", EVIL.replace("\n", " "), "-m", `${EVIL}\n\n[x](javascript:alert(3))`);
  run(program, ["solution", "add", "ISS-1"], plan("src/cart.rs", 3));
  run(program, ["solution", "add", "ISS-2"], plan("src/price.rs", 1));
  wf("queue", "add", "ISS-2");
  wf("comment", "ISS-4", "-m", EVIL);
  wf("edit", "ISS-2", "--depends-on", "ISS-1");
}

// What only other tools, other clones and agents make: a roadmap, a run, a conflict, a withdrawn plan, a long queue.
function more() {
  const convergence = { criteria: ["The file has one more line than before"], verification: "Run `true`; it exits with 0", definition_of_done: "It is merged" };
  const layer = (id, name, depends_on) => ({
    id, name, goal: `Teams can ${name}`, scope: [name], effort: "small", depends_on, convergence, risks: ["late"],
  });
  const layers = [layer("L0", "export one month", []), layer("L1", "choose the columns", ["L0"])];
  run(program, ["roadmap", "add", "-"], JSON.stringify({ title: "Export", mode: "progressive", scope: layers.flatMap((it) => it.scope), layers }));
  const edit = 'In src/stock.rs replace "// stock" with "// stock once"\nTest: true';
  wf("new", "--id", "GH-5", "Count once", "-m", edit);
  const agent = (name) => `python3 ${path.join(examples, name)}`;
  wf("run", "GH-5", "--yes", "--planner", agent("planner.py"), "--executor", agent("executor.py"));
  run(program, ["solution", "add", "ISS-3"], plan("src/stock.rs", 2));
  const withdrawn = run(program, ["solution", "add", "ISS-3"], plan("src/stock.rs", 3)).trim();
  wf("solution", "withdraw", withdrawn, "-m", "The other one is simpler, see GH-5");
  for (let n = 10; n < 30; n++) {
    wf("new", "--id", `ISS-${n}`, `Change file ${n}`, ...(n % 3 ? ["--depends-on", `ISS-${n - 1}`].slice(0, n > 10 ? 2 : 0) : []));
    run(program, ["solution", "add", `ISS-${n}`], plan(`src/file${n % 5}.rs`, 2));
    wf("queue", "add", `ISS-${n}`);
  }
  // Two clones give an issue two titles.
  const remote = path.join(home, "remote.git");
  const other = path.join(home, "other");
  const there = (file, args) => execFileSync(file, args, { cwd: other, env: as("bea"), stdio: "pipe" });
  git("init", "-q", "--bare", remote);
  git("remote", "add", "origin", remote);
  wf("sync", "origin");
  git("clone", "-q", remote, other);
  there(program, ["init"]);
  there(program, ["edit", "ISS-2", "--title", "Prices lack a currency"]);
  there(program, ["sync"]);
  wf("edit", "ISS-2", "--title", "Prices have no currency");
  wf("sync");
  return withdrawn;
}

function serve(...options) {
  const child = spawn(program, ["web", "--port", "0", ...options], { cwd: repo, env: as("bea") });
  child.stderr.pipe(process.stderr);
  return new Promise((resolve) => child.stdout.once("data", (text) => resolve([text.toString().split("\n")[0], child])));
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"],
});
const ended = [];
let isOver = false;
const step = (name) => console.log(`ok ${name}`);

// A page that must not ask anything, load anything from elsewhere, or complain.
async function open(context, address) {
  const page = await context.newPage();
  const host = new URL(address).host;
  page.on("dialog", (dialog) => assert.fail(`a page asked: ${dialog.message()}`));
  page.on("pageerror", (error) => assert.fail(`a script failed: ${error}`));
  page.on("console", (message) => {
    // The server ends before the browser; and a refused form is shown with this status.
    if (isOver) return;
    if (message.type() === "error" && !message.text().includes("422")) assert.fail(`${page.url()}: ${message.text()}`);
  });
  page.on("request", (request) => assert.equal(new URL(request.url()).host, host, `asked ${request.url()}`));
  await page.goto(address);
  await page.waitForURL((url) => !url.search.includes("token"));
  return page;
}

async function pass(address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await open(context, address);
  await page.locator("footer .live[data-state=on]").waitFor();
  await page.getByRole("link", { name: "ISS-1", exact: true }).first().click();
  await page.getByRole("link", { name: "The plan with its reviews" }).click();
  assert.match(page.url(), /\/plans\/SOL-ISS-1-/);

  // Review: refused at the field, then accepted.
  await page.getByLabel("Technical").fill("90");
  await page.getByLabel("Findings").fill("T2 says nothing about an empty cart");
  await page.locator("form[action='/do/review'] button").click();
  await page.locator(".field .refusal").first().waitFor();
  assert.equal(await page.getByLabel("Findings").inputValue(), "T2 says nothing about an empty cart");
  await page.getByLabel("Risk").fill("80");
  await page.getByLabel("Completeness").fill("85");
  await page.locator("form[action='/do/review'] button").click();
  await page.getByText("T2 says nothing about an empty cart").first().waitFor();
  await page.locator(".heading .s-approved").waitFor();
  step("review");

  // Queue.
  await page.getByRole("button", { name: "Queue it" }).click();
  await page.getByRole("link", { name: "Queue", exact: true }).click();
  assert.equal(await page.locator("svg.dag .node").count(), 2);
  assert.equal(await page.locator("svg.dag path.arrow").count(), 1);
  await page.getByText("depends on").first().waitFor();
  step("queue");

  // Execution, seen live.
  await page.getByRole("link", { name: "Executions", exact: true }).click();
  await page.getByText("No plan has been executed yet.").waitFor();
  wf("next");
  await page.locator("td .s-executing").waitFor();
  fs.appendFileSync(path.join(repo, "src/cart.rs"), "// keeps its items\n");
  git("commit", "-qam", "Keep the items of the cart");
  wf("verify", "--yes");
  wf("done", "-m", "The cart keeps its items", "--force", "--reason", "one task is enough for a test");
  await page.locator("td .s-completed").waitFor();
  step("execution");

  // Trail: execution, commit, file, issue.
  await page.locator("table a", { hasText: /^1$/ }).click();
  await page.getByText("The cart keeps its items").waitFor();
  const commit = git("rev-parse", "HEAD").trim();
  await page.locator(`main a.id[href="/commits/${commit}"]`).first().click();
  await page.waitForURL(`**/commits/${commit}`);
  await page.locator("ol.chain .id", { hasText: "ISS-1" }).first().click();
  await page.waitForURL("**/issues/ISS-1");
  await page.goto(new URL("/files/src/cart.rs", page.url()).href);
  await page.locator("tr#L2 a", { hasText: "ISS-1" }).waitFor();
  step("trail");

  // What someone writes stays while the page changes.
  await page.goto(new URL("/issues/ISS-3", page.url()).href);
  await page.locator("footer .live[data-state=on]").waitFor();
  const field = page.getByLabel("Comment, in Markdown");
  await field.fill("half a comm");
  await field.evaluate((it) => it.setSelectionRange(4, 4));
  await page.evaluate(() => window.scrollTo(0, 40));
  const scrolled = await page.evaluate(() => window.scrollY);
  wf("comment", "ISS-3", "-m", "from the terminal");
  await page.getByText("from the terminal").waitFor();
  assert.equal(await field.inputValue(), "half a comm");
  assert.deepEqual(await field.evaluate((it) => [document.activeElement === it, it.selectionStart]), [true, 4]);
  assert.equal(await page.evaluate(() => window.scrollY), scrolled);
  await field.press("End");
  await field.pressSequentially("ent");
  await page.getByRole("button", { name: "Comment" }).click();
  await page.locator(".entry", { hasText: "half a comment" }).waitFor();

  // A form sends back what is invisible as it was, so it changes only what someone changed.
  wf("new", "shy\u00adhyphen", "--id", "ISS-90", "-m", "pasted\u200btext");
  await page.goto(new URL("/issues/ISS-90", page.url()).href);
  await page.getByText("Edit", { exact: true }).click();
  await page.locator("form[action='/do/edit'] select").selectOption("high");
  wf("edit", "ISS-90", "-m", "by\u200bsomeone else");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("h1 + p .p2").waitFor();
  const edited = JSON.parse(wf("show", "ISS-90", "--json"));
  assert.deepEqual([edited.title, edited.context, edited.priority], ["shy\u00adhyphen", "by\u200bsomeone else", 2]);

  // A refusal is shown even if its form is gone.
  await page.getByLabel("Comment, in Markdown").fill("half a word");
  await page.locator("form[action='/do/comment'] input[name=issue]").evaluate((it) => (it.value = "ISS-404"));
  await page.locator("form[action='/do/comment'] input[name=form]").evaluate((it) => (it.value = "comment:gone"));
  await page.getByRole("button", { name: "Comment" }).click();
  await page.locator("main > .refusal[role=alert]").waitFor();
  await page.getByText("half a word").waitFor();
  step("writing while it changes");

  // The board: dragging, and the keyboard.
  await page.getByRole("link", { name: "Board", exact: true }).click();
  const card = page.locator(".card[data-id='ISS-3']");
  await card.dragTo(page.locator(".column[data-status=planning]"));
  await page.locator(".column[data-status=planning] .card[data-id='ISS-3']").waitFor();
  assert.match(wf("show", "ISS-3"), /planning/);
  await page.locator(".card[data-id='ISS-3'] a").first().focus();
  await card.locator("select").selectOption("registered");
  await card.getByRole("button", { name: "Move" }).press("Enter");
  await page.locator(".column[data-status=registered] .card[data-id='ISS-3']").waitFor();
  await page.locator(".card a").first().focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.closest(".card") !== null), true);
  await page.keyboard.press("/");
  await page.keyboard.type("currency");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/issues?q=currency*");
  await page.locator("td a.id", { hasText: "ISS-2" }).waitFor();
  step("board and keyboard");
  await context.close();
}

// Every page in light and dark, narrow and wide: nothing wider than the window, and nothing that axe objects to.
async function look(address, paths, name, isFile = false) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [360, 768, 1280, 1920]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      const page = await context.newPage();
      page.on("dialog", (dialog) => assert.fail(`a page asked: ${dialog.message()}`));
      await page.goto(address);
      if (!isFile) await page.waitForURL((url) => !url.search.includes("token"));
      for (const at of paths) {
        await page.goto(new URL(at, address).href);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wider <= 0, `${at} is ${wider} px too wide at ${width} px`);
        await page.addScriptTag({ content: axe });
        const found = await page.evaluate(() => window.axe.run());
        const faults = found.violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 200)).join(" ")}`);
        assert.deepEqual(faults, [], `${at} at ${width} px, ${colorScheme}`);
        if (pictures) {
          fs.mkdirSync(pictures, { recursive: true });
          const file = `${name}-${at.replace(/[^a-z0-9]+/gi, "-").slice(-40)}-${colorScheme}-${width}.png`;
          await page.screenshot({ path: path.join(pictures, file), fullPage: true });
        }
      }
      await context.close();
    }
  }
}

// Without any script, everything but live updates and dragging works.
async function withoutScript(address) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole("link", { name: "Opening git wf …" }).click().catch(() => {});
  await page.goto(new URL("/issues/ISS-2", address).href);
  await page.getByLabel("Comment, in Markdown").fill("without a script");
  await page.getByRole("button", { name: "Comment" }).click();
  await page.getByText("without a script").waitFor();
  await context.close();
  step("without a script");
}

async function exported() {
  const folder = path.join(home, "pages");
  wf("web", "--export", folder);
  const address = pathToFileURL(path.join(folder, "index.html")).href;
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(`a script failed: ${error}`));
  page.on("request", (request) => assert.ok(request.url().startsWith("file:"), `asked ${request.url()}`));
  await page.goto(address);
  await page.locator("#search").fill("currency");
  await page.locator("#search").press("Enter");
  await page.locator("#found a", { hasText: "ISS-2" }).click();
  await page.waitForURL("**/issues/ISS-2.html");
  await page.getByRole("link", { name: /^SOL-ISS-2|The plan/ }).first().click();
  await page.waitForURL("**/plans/SOL-ISS-2-*.html");
  await context.close();
  await look(address, ["index.html", "issues.html", "board.html", "queues.html", "executions.html", "search.html", "issues/ISS-1.html", "issues/ISS-4.html"], "export", true);
  step("export");
}

try {
  store();
  const [address, child] = await serve("--write");
  ended.push(child);
  await pass(address);
  await withoutScript(address);
  const withdrawn = more();
  const shown = JSON.parse(wf("show", "ISS-1", "--json"));
  const tip = git("rev-parse", "refs/wf/main").trim();
  const first = (...args) => JSON.parse(wf(...args, "--json"))[0].id;
  await look(address, [
    "/", "/issues", "/issues?q=nothing", "/issues/new", "/issues/ISS-1", "/issues/ISS-4", "/board", "/queues", "/executions", "/runs",
    "/roadmaps", "/audit", "/files", "/files/src/cart.rs", "/conflicts", "/history", `/history/${tip}`,
    `/plans/${shown.solutions[0].id}`, `/plans/${shown.solutions[0].id}/diff`, `/executions/${shown.executions[0].id}`,
    `/commits/${git("rev-parse", "HEAD").trim()}`, "/issues/ISS-404", "/issues/ISS-3", `/plans/${withdrawn}`,
    `/roadmaps/${first("roadmap", "list")}`, `/runs/${first("run", "list")}`, `/queues/${first("queue", "list")}`,
  ], "page");
  step("light and dark, narrow and wide, axe");
  await exported();
} catch (error) {
  isOver = true;
  console.error(error);
  process.exitCode = 1;
} finally {
  isOver = true;
  for (const child of ended) child.kill();
  await browser.close();
  fs.rmSync(home, { recursive: true, force: true });
}
if (!process.exitCode) console.log("all pages passed");
