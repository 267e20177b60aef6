import type { JSX } from 'preact';
import { admin, type GenerationSummary, type GenerationUse } from '../../gateway/admin.ts';
import { Complete } from '../../metrics/complete.tsx';
import { type Column, Empty, Table, Text, Time } from '../../ui/index.ts';

/** The largest page: the console shows the first entries, and the command lists all of them. */
const most = 1_000;

/** The generations and their callers, from the admin service. */
export async function readGenerations(signal: AbortSignal) {
  const answer = await admin.call('ListGenerations', { pageSize: most }, { signal });
  const { uses = [], generations = [], since, nextPageToken = '', missingReplicas = [] } = answer;
  return { uses, generations, since, hasMore: nextPageToken !== '', missingReplicas };
}

/** How the end of a generation is announced. */
function End({ of: { sunset } }: { readonly of: GenerationSummary }): JSX.Element {
  if (!sunset) return <span class="muted">not announced</span>;
  return (
    <span>
      {sunset.refuses === true ? 'ended' : `ends (${sunset.mode})`} <Time at={sunset.on} />
    </span>
  );
}

const summaryColumns: readonly Column<GenerationSummary>[] = [
  { title: 'Generation', field: 'generation', as: 'mono', width: 'minmax(8rem, 1fr)' },
  { title: 'Callers', field: 'callers', as: 'count', width: '5rem' },
  { title: 'Calls', field: 'calls', as: 'count', width: '6rem' },
  { title: 'Refused if it ended today', field: 'newWork', as: 'count', width: '12rem' },
  { title: 'Rehearsed', field: 'wouldBeRefused', as: 'count', width: '6rem' },
  { title: 'Refused', field: 'refused', as: 'count', width: '5rem' },
  { title: 'Last call', field: 'lastAt', as: 'time', width: '7rem' },
  { title: 'End', cell: (one) => <End of={one} />, width: 'minmax(9rem, 1fr)' },
];

const useColumns: readonly Column<GenerationUse>[] = [
  { title: 'Caller', field: 'principal', as: 'mono', width: 'minmax(9rem, 2fr)' },
  { title: 'Generation', field: 'generation', as: 'mono', width: '8rem' },
  { title: 'Agent', field: 'agent', width: '8rem' },
  { title: 'Binding', field: 'binding', width: '6rem' },
  { title: 'Calls', field: 'calls', as: 'count', width: '5rem' },
  { title: 'New work', field: 'newWork', as: 'count', width: '6rem' },
  { title: 'Last call', field: 'lastAt', as: 'time', width: '7rem' },
  {
    title: 'Lost fields',
    cell: ({ lost = [] }) => <Text value={lost.map(({ path }) => path).join(' ')} mono />,
    width: 'minmax(8rem, 2fr)',
  },
];

/** The generations, and below them their callers. */
export function Generations({
  of: { uses, generations, since, hasMore },
}: {
  readonly of: Awaited<ReturnType<typeof readGenerations>>;
}): JSX.Element {
  if (generations.length === 0)
    return <Empty title="No calls were counted">Calls are counted by caller, agent and generation.</Empty>;
  return (
    <div class="stack">
      <p class="muted">
        <Complete of={{ completeSince: since }} /> When a generation ends, its messages and new webhooks are refused;
        existing tasks can still be read and canceled.
      </p>
      <Table
        label="Generations"
        columns={summaryColumns}
        rows={generations}
        rowKey={({ generation }) => generation}
        empty="No generation was used"
      />
      <Table
        label="Callers of generations"
        columns={useColumns}
        rows={uses}
        rowKey={({ generation, principal, agent, binding }) => JSON.stringify([generation, principal, agent, binding])}
        empty="No calls were counted"
      />
      {hasMore && <p class="muted">There are more: a2a-gateway generations lists all.</p>}
    </div>
  );
}
