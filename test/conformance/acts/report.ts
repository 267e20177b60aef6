import type { ConformanceResult } from '../../../scripts/reference/conformance.ts';
import { today } from '../../../scripts/reference/conformance.ts';
import { knownPath } from './known.ts';
import type { Result } from './run.ts';
import { commit } from './suite.ts';

/** The number of tests by result. */
export function countsOf(results: readonly Result[]) {
  const count = (wanted: Result['result']): number => results.filter(({ result }) => result === wanted).length;
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip'), errors: count('error') };
}

/** The lines that say what came of a row, by level as ACTS has it (section 12.7). */
export function summaryOf(name: string, results: readonly Result[]): string[] {
  const { passed, failed, skipped, errors } = countsOf(results);
  const levels = (['must', 'should', 'may'] as const).map((level) => {
    const applying = results.filter(({ test, result }) => test.level === level && result !== 'skip');
    const good = applying.filter(({ result }) => result === 'pass').length;
    return `${level.toUpperCase()} ${good}/${applying.length}`;
  });
  return [
    `${name.padEnd(20)} ${passed} passed, ${failed} failed, ${skipped} skipped, ${errors} errors   ${levels.join(' ')}`,
  ];
}

const bindingNames = { jsonrpc: 'JSON-RPC', rest: 'HTTP+JSON', grpc: 'gRPC' } as const;

const targetNames: Readonly<Record<string, string>> = {
  direct: "the gateway's own agent",
  plain: 'an agent without optional capabilities',
  client: 'the client',
};

/** A row as `docs/conformance.md` has it. */
export function recordOf(name: string, results: readonly Result[]): ConformanceResult {
  const [target = '', binding, auth] = name.split(' ');
  const over = binding === undefined ? '' : `, ${bindingNames[binding as keyof typeof bindingNames]}`;
  const { passed, failed, skipped } = countsOf(results);
  return {
    suite: 'ACTS',
    version: commit.slice(0, 12),
    target: `${targetNames[target] ?? `an agent of A2A ${target}`}${over}${auth ? ', authentication' : ''}`,
    passed,
    failed,
    skipped,
    date: today(),
    command: 'conformance:acts',
    known: knownPath,
  };
}
