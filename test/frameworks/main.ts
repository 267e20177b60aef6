/**
 * `npm run frameworks`: runs the blocks of `docs/guides/frameworks.md`, section by section, each in a folder of its own
 * with the packages that it installs, against a real gateway. It needs the registries of npm, PyPI, Go and Maven. A
 * section whose language this machine lacks is skipped by name. `-- --only TEXT` runs the sections whose title has TEXT.
 */
import { parseArgs } from 'node:util';
import type { Block } from '../readme/blocks.ts';
import { faultOf } from '../readme/run-blocks.ts';
import { Workspace } from '../readme/workspace.ts';
import { page, type Section, sectionsOf } from './page.ts';

/** Milliseconds for one block; the largest installation takes the longest. */
const patience = 900_000;

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });

/** What the page promises of every agent: callers of other versions and bindings reach it. */
const otherCallers: readonly string[] = [
  'http://localhost:8080 --as a2a-1.0 --via grpc Ada',
  'http://localhost:8080 --as a2a-0.3 --via rest Ada',
  'http://localhost:8080/as/a2a-0.1 --stream Ada',
];

const seconds = (start: number): string => ((performance.now() - start) / 1_000).toFixed(1);

/** Blocks that call the agent of a section as other clients do; over gRPC only if its cards list it. */
const calls = (section: Section): Block[] =>
  section.markdown.includes('kind: upstream')
    ? otherCallers
        .filter((words) => !(words.includes('grpc') && section.markdown.includes('interfaces:')))
        .map((words) => ({
          language: 'sh',
          words: [],
          text: `npx a2a-gateway send ${words}\n`,
          line: 0,
          directives: new Map([['shows', 'Hello, Ada!']]),
          file: undefined,
        }))
    : [];

/** Runs one section; what went wrong, or undefined. */
async function run(section: Section): Promise<string | undefined> {
  const blocks = [...section.blocks, ...calls(section)];
  const workspace = await Workspace.open(blocks, { installs: true });
  try {
    const obstacle = blocks.map((block) => workspace.obstacle(block)).find((reason) => reason !== undefined);
    if (obstacle !== undefined) {
      console.log(`  skipped ${obstacle}`);
      return undefined;
    }
    for (const block of blocks) {
      if (block.file !== undefined) workspace.write(block);
      else if (!block.words.includes('no-run')) {
        const start = performance.now();
        const fault = await faultOf(workspace, block, AbortSignal.timeout(patience));
        const what = `line ${block.line}: ${block.text.split('\n')[0]} (${seconds(start)} s)`;
        console.log(`  ${fault === undefined ? 'ok     ' : 'FAILED '} ${what}`);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  } finally {
    await workspace.close();
  }
}

const chosen = sectionsOf(page).filter(({ title }) => title.toLowerCase().includes(values.only.toLowerCase()));
if (chosen.length === 0) throw new Error(`no section's title has "${values.only}"`);
for (const section of chosen) {
  console.log(`\n${section.title}`);
  const fault = await run(section);
  if (fault === undefined) continue;
  console.log(fault);
  process.exitCode = 1;
}
