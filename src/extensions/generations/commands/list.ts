import type { AdminClient } from '../../../client/index.ts';
import type { GenerationUse, ListGenerationsResponse } from '../../../gen/admin-v1/types.ts';
import type { CommandOptions, CommandTools } from '../../command.ts';
import { announcementOf, countOf, outlookOf } from './outlook.ts';
import { reportOf } from './report.ts';

export interface GenerationFlags extends CommandOptions {
  readonly generation?: string;
  readonly caller?: string;
  readonly agent?: string;
  readonly markdown?: boolean;
}

/** `a2a-gateway generations`: who speaks which generation of A2A, and what the end of one would refuse. */
export async function list(
  target: string | undefined,
  options: GenerationFlags,
  { output, withAdmin }: CommandTools,
): Promise<void> {
  const answer = await withAdmin(target, options, (admin) => readAll(admin, options));
  if (options.json === true) output.json(answer);
  else if (options.markdown === true) output.print(reportOf(answer));
  else printList(answer, output);
  const { missingReplicas = [] } = answer;
  const uncounted = countOf(answer.uncountedCalls);
  if (uncounted > 0) output.note(`warning: ${uncounted} calls have no entry, since there was no room`);
  if (missingReplicas.length > 0) output.note(`warning: these replicas did not answer: ${missingReplicas.join(', ')}`);
}

/** All pages of the list as one. */
async function readAll(admin: AdminClient, options: GenerationFlags): Promise<ListGenerationsResponse> {
  const { generation = '', caller: principal = '', agent = '' } = options;
  const uses: GenerationUse[] = [];
  for (let pageToken = ''; ; ) {
    const page = await admin.listGenerations({ generation, principal, agent, pageSize: 1_000, pageToken });
    uses.push(...(page.uses ?? []));
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '') return { ...page, uses };
  }
}

function printList({ uses = [], generations = [], since }: ListGenerationsResponse, output: CommandTools['output']) {
  output.table(
    ['generation', 'caller', 'agent', 'binding', 'calls', 'new work', 'last call', 'lost'],
    uses.map((use) => [
      ...[use.generation, use.principal, use.agent, use.binding],
      ...[`${countOf(use.calls)}`, `${countOf(use.newWork)}`, use.lastAt ?? ''],
      (use.lost ?? []).map(({ path }) => path).join(' '),
    ]),
  );
  if (uses.length === 0) output.note('no calls were counted');
  if (generations.length === 0) return;
  output.print('\nif it ended today:\n');
  output.table(
    ['generation', 'calls', 'sunset'],
    generations.map((one) => [one.generation, outlookOf(one, since), announcementOf(one)]),
  );
}
