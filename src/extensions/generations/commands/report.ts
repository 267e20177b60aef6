import { oneLine } from '../../../core/model/text.ts';
import type { GenerationSummary, GenerationUse, ListGenerationsResponse } from '../../../gen/admin-v1/types.ts';
import { countOf, dayOf } from './outlook.ts';

/** Text that others chose, as one line of Markdown that means nothing else. */
const plain = (text: string): string =>
  oneLine(text, Number.POSITIVE_INFINITY).replace(/[\\`*_{}[\]<>()#+!|~&]/g, (mark) => `\\${mark}`);

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const table = (titles: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] => [
  row(...titles),
  row(...titles.map(() => '---')),
  ...rows.map((cells) => row(...cells)),
  '',
];

/** A report in Markdown with a section for each caller, which can be sent to its owner. */
export function reportOf({ uses = [], generations = [], since }: ListGenerationsResponse): string {
  const byCaller = Map.groupBy(uses, ({ principal }) => principal);
  if (byCaller.size === 0) return 'No calls were counted.\n';
  const byName = new Map(generations.map((one) => [one.generation, one]));
  return [...byCaller]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([principal, own]) => sectionOf(principal, own, byName, since))
    .join('\n');
}

function sectionOf(
  principal: string,
  uses: readonly GenerationUse[],
  byName: ReadonlyMap<string, GenerationSummary>,
  since: string | undefined,
): string[] {
  const ends = [...new Set(uses.map(({ generation }) => generation))].flatMap((generation) => {
    const { sunset } = byName.get(generation) ?? {};
    return sunset ? [endOf(generation, sunset, uses)] : [];
  });
  const lost = uses.flatMap(({ generation, agent, lost: paths = [] }) =>
    paths.map(({ path, agentDialect = '', count, lastAt }) => [
      plain(path),
      agentDialect === '' ? generation : `${plain(agentDialect)} (the agent)`,
      plain(agent),
      countOf(count),
      dayOf(lastAt),
    ]),
  );
  return [
    `# Calls of ${plain(principal)}`,
    '',
    ...(ends.length > 0 ? [...ends, ''] : []),
    `Calls since ${dayOf(since)}. “New work” are messages and new webhooks, which the end of a generation refuses.`,
    '',
    ...table(
      ['generation', 'agent', 'binding', 'calls', 'new work', 'first call', 'last call'],
      uses.map((use) => [
        use.generation,
        plain(use.agent),
        plain(use.binding),
        countOf(use.calls),
        countOf(use.newWork),
        dayOf(use.firstAt),
        dayOf(use.lastAt),
      ]),
    ),
    ...(lost.length > 0
      ? [
          'Fields that did not arrive, since a generation cannot express them:',
          '',
          ...table(['field', 'lost in', 'agent', 'times', 'last'], lost),
        ]
      : []),
  ];
}

/** One sentence or more about the end of a generation, for one of its callers. */
function endOf(
  generation: string,
  { since, on, mode, link = '', refuses = false }: NonNullable<GenerationSummary['sunset']>,
  uses: readonly GenerationUse[],
): string {
  const own = uses.filter((use) => use.generation === generation);
  const sum = (name: 'newWork' | 'wouldBeRefused' | 'refused') => own.reduce((all, use) => all + countOf(use[name]), 0);
  const where = link === '' ? '' : ` [More about it](<${link}>).`;
  const calls = refuses
    ? `${sum('refused')} of your calls were refused.`
    : mode === 'warn'
      ? `${sum('newWork')} of your calls would have been refused.`
      : `${sum('wouldBeRefused')} of your calls would have been refused since it is rehearsed.`;
  const when = refuses ? `has ended on ${dayOf(on)}` : `is deprecated since ${dayOf(since)}, and ends on ${dayOf(on)}`;
  return `- **${generation}** ${when}. ${calls} Call in a later version of A2A.${where}`;
}
