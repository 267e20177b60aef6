import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './pages.ts';

/** A row of `docs/conformance.md`: the outcome of one suite against one target. */
export interface ConformanceResult {
  /** The suite, as its authors call it. */
  readonly suite: string;
  /** The version of the suite: a release, or a commit. */
  readonly version: string;
  /** The part of the project that was tried, and how it was reached. */
  readonly target: string;
  readonly passed: number;
  /** Cases that failed. Each is in the list of known failures, since a run with others is not recorded. */
  readonly failed: number;
  /** Cases that do not apply to the target. */
  readonly skipped: number;
  /** The day of the run, such as `2026-11-28`. */
  readonly date: string;
  /** The script of `package.json` that repeats the run, with its arguments, such as `conformance:mcp`. */
  readonly command: string;
  /** The list of known failures, by its path from the project's root. Required where a case failed. */
  readonly known?: string;
}

const projectRoot = new URL('../../', import.meta.url);
const resultsPath = 'test/conformance/results.json';
const pagePath = 'docs/conformance.md';

export function readResults(root: URL = projectRoot): ConformanceResult[] {
  return JSON.parse(readFileSync(new URL(resultsPath, root), 'utf8'));
}

/** The day of a run that is recorded now. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/**
 * Keeps the results of a run in place of the earlier ones of the same suite, and writes the table of the page.
 *
 * @throws Error where cases failed, and no list of known failures is named
 */
export function recordResults(suite: string, results: readonly ConformanceResult[], root: URL = projectRoot): void {
  const unlisted = results.find(({ failed, known }) => failed > 0 && known === undefined);
  if (unlisted) throw new Error(`${suite}, ${unlisted.target}: name the list of the ${unlisted.failed} known failures`);
  const others = readResults(root).filter((result) => result.suite !== suite);
  const all = [...others, ...results].sort((one, other) => order.compare(keyOf(one), keyOf(other)));
  writeFileSync(new URL(resultsPath, root), `${JSON.stringify(all, null, 2)}\n`);
  const page = new URL(pagePath, root);
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), new Map([['conformance', conformanceTable(root)]])));
}

const order = new Intl.Collator('en', { numeric: true });
const keyOf = ({ suite, target }: ConformanceResult): string => `${suite}\n${target}`;

const headings = ['suite', 'version', 'against', 'passed', 'known failures', 'skipped', 'date', 'command'];

/** The table of all results, by suite and target. Lists of known failures are linked in the project's repository. */
export function conformanceTable(root: URL = projectRoot): string {
  const { repository } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const address = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main`;
  const rows = readResults(root).map(
    ({ suite, version, target, passed, failed, skipped, date, command, known }): string[] => {
      const listed = failed > 0 ? `[${failed}](${address}/${known})` : '0';
      return [suite, version, target, `${passed}`, listed, `${skipped}`, date, `\`npm run ${command}\``];
    },
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(headings) + line(headings.map(() => '---')) + rows.map(line).join('');
}
