import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paced } from '../support/pace.ts';
import { type Block, blocksOf } from './blocks.ts';
import { Workspace, type WorkspaceOptions } from './workspace.ts';

/** Milliseconds for a block; building takes the longest. */
const timeoutMs = paced(180_000);

/**
 * Makes one test of every ```sh block of a Markdown file, run in order in a folder of their own. `pages.test.ts` type-checks the
 * ```ts blocks of all pages.
 *
 * - Ports are those of the document plus one number that is the same for all, so that what is in use there is in use here.
 * - A block that contains `npm start` or `a2a-gateway serve` starts a gateway, and stays; so does one with `<!-- serves: TEXT
 *   -->` above it, once it has printed TEXT. Two that want the same port, or the same store, are the document's mistake.
 * - `npm ci` and `npm install` do nothing; `npx a2a-gateway` is the gateway from its sources; the package's own name leads to
 *   `dist`, as in a checkout, which is there once `npm run build` was run; with `installed` to the sources.
 * - `<!-- stops: TEXT -->` above a block: the servers of the blocks with TEXT are stopped before, as the page tells its reader.
 * - A block that shows a file begins with a comment that is nothing but its name (`# gateway.yaml`), and is written.
 * - A block must exit with 0 and print no JSON-RPC error. `<!-- shows: TEXT -->` above it: TEXT must be in what it
 *   prints. ```sh fails: it must exit with something else, or print an error.
 * - A ```json block with `mcpServers`, an editor's configuration: each of these servers is started as an editor does it,
 *   or called where it has a URL, and its tools' names are what the block prints.
 * - ```sh no-run is not run; `<!-- no-run: REASON -->` above it says why, and is demanded. ```ts no-check likewise; the
 *   file that it shows is written.
 */
export function testBlocks(name: string, markdown: string, options: WorkspaceOptions = {}): void {
  const blocks = blocksOf(markdown);
  describe(name, () => {
    let workspace: Workspace;
    beforeAll(async () => {
      workspace = await Workspace.open(blocks, options);
    });
    afterAll(() => workspace.close());

    for (const block of blocks) {
      const title = `line ${block.line}: ${block.text.split('\n')[0]}`;
      const left = block.words.find((word) => word === 'no-run' || word === 'no-check');
      if (left !== undefined) {
        it(`${title} (${left})`, () => {
          expect(
            block.directives.get(left),
            `line ${block.line} needs a <!-- ${left}: REASON --> above it`,
          ).toBeDefined();
          if (left === 'no-check') workspace.write(block);
        });
      } else if (block.language === 'sh' || isEditors(block)) {
        it(title, { timeout: timeoutMs }, async ({ skip, signal }) => {
          const obstacle = workspace.obstacle(block);
          if (obstacle !== undefined) skip(obstacle);
          const fault = await faultOf(workspace, block, signal);
          if (fault !== undefined) expect.fail(fault);
        });
      } else if (block.file !== undefined) {
        it(`line ${block.line}: writes ${block.file}`, () => workspace.write(block));
      }
    }
  });
}

/** Tests the blocks of pages of this repository. */
export function testPages(pages: readonly string[], options?: WorkspaceOptions): void {
  for (const page of pages) testBlocks(page, readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'), options);
}

/** Everything that a block has printed, and its fault. */
interface Outcome {
  readonly output: string;
  /** Undefined if nothing is wrong. */
  readonly fault: string | undefined;
}

/** Runs a block, and compares what it did and printed with what the page says. */
export async function outcomeOf(workspace: Workspace, block: Block, signal: AbortSignal): Promise<Outcome> {
  const stopped = block.directives.get('stops');
  if (stopped !== undefined) await workspace.stop(stopped);
  const { code, output } = await workspace.run(isEditors(block) ? listing(block) : block, signal);
  const refused = code !== 0 || /"error"\s*:\s*\{/.test(output);
  if (refused !== block.words.includes('fails'))
    return { output, fault: `it ${refused ? 'failed' : 'did not fail'}:\n${output}` };
  const shown = workspace.translate(block.directives.get('shows') ?? '');
  return { output, fault: output.includes(shown) ? undefined : `it did not print "${shown}":\n${output}` };
}

/** Runs a block, and says what is wrong with what it did and printed; undefined if nothing is. */
export const faultOf = async (workspace: Workspace, block: Block, signal: AbortSignal): Promise<string | undefined> =>
  (await outcomeOf(workspace, block, signal)).fault;

/** Whether a block is an editor's configuration of its tool servers. */
const isEditors = ({ language, text }: Block): boolean => language === 'json' && text.includes('"mcpServers"');

interface EditorServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
}

/** The shell commands that do what an editor would. */
function listing(block: Block): Block {
  const { mcpServers } = JSON.parse(block.text) as { mcpServers: Record<string, EditorServer> };
  const program = fileURLToPath(new URL('list-tools.ts', import.meta.url));
  const lines = Object.values(mcpServers).map(({ command = '', args = [], url }) =>
    url === undefined ? [process.execPath, program, command, ...args] : ['a2a-gateway', 'tools', url],
  );
  return { ...block, text: lines.map((words) => `${words.map((word) => `'${word}'`).join(' ')}\n`).join('') };
}
