import { shortened } from '../../core/model/text.ts';
import type {
  ListCallersResponse,
  ListCallsResponse,
  ListNumbersResponse,
  NumberGroup,
} from '../../gen/admin-v1/types.ts';
import type { Output } from '../output.ts';

/** Members of responses about the time since which a list is complete, and about missing parts. */
type Completeness = Partial<Pick<ListCallsResponse, 'completeSince' | 'keptSince' | 'gaps' | 'leftOut'>> &
  Partial<Pick<ListCallersResponse, 'since'>>;

/** Longest caller id that is shown, in characters. */
const longestName = 100;

/**
 * Prints the time since which a list is complete, and the parts that are missing before. Prints nothing for lists of
 * current state.
 */
export function noteCompleteness(answer: Completeness, output: Output): void {
  const { completeSince = '', keptSince, since, gaps = [], leftOut = [] } = answer;
  const isLaterThan = (begin: string | undefined): boolean =>
    begin !== undefined && Date.parse(begin) < Date.parse(completeSince);
  if (keptSince)
    output.note(`note: complete since ${completeSince}${isLaterThan(keptSince) ? `; kept since ${keptSince}` : ''}`);
  else if (isLaterThan(since)) output.note(`note: complete since ${completeSince}; counted since ${since}`);
  for (const { replica = '', from, until } of gaps) {
    output.note(`note: records of replica ${replica || 'of an earlier start'} from ${from} to ${until} are missing`);
  }
  for (const { principal = '', count = 0 } of leftOut) {
    const caller = principal === '' ? 'callers without a valid credential' : shortened(principal, longestName);
    output.note(`note: ${count} more calls of ${caller} are counted, and not listed`);
  }
}

const keys = ['agent', 'principal', 'dialect'] as const;
const counts = ['calls', 'failed', 'refused', 'tasksEnded', 'tasksFailed'] as const;
const percentiles = ['p50Ms', 'p90Ms', 'p99Ms'] as const;
const titles = ['calls', 'failed', 'refused', 'tasks ended', 'failed', 'p50 ms', 'p90 ms', 'p99 ms'];

const rowOf = ({ numbers = {} }: NumberGroup): string[] => [
  ...counts.map((name) => `${numbers[name] ?? 0}`),
  ...percentiles.map((name) => `${numbers[name] ?? ''}`),
];

/** Prints the groups of numbers, those with the most calls first, and their total as the last line. */
export function printNumbers(answer: ListNumbersResponse, output: Output): void {
  const { groups = [], total = {}, moreGroups = 0, countedWithOthers = 0 } = answer;
  const shown = keys.filter((key) => groups.some((group) => group[key] !== undefined));
  const named = shown.length > 0 ? shown : keys.slice(0, 1);
  const all = named.map((_, at) => (at === 0 ? 'all' : ''));
  output.table(
    [...named, ...titles],
    [...groups.map((group) => [...named.map((key) => group[key] || '-'), ...rowOf(group)]), [...all, ...rowOf(total)]],
  );
  if (moreGroups > 0) output.note(`note: there are ${moreGroups} more groups; list more of them with --page-size`);
  if (Number(countedWithOthers) > 0) {
    output.note(`note: ${countedWithOthers} more calls and refusals are counted with (others), and may be among these`);
  }
}
