import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin, type RefusedUpdate } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { Button, type Column, Dialog, Empty, Failure, Json, Table, Text } from '../../ui/index.ts';
import type { SpaceProps } from './gateway.ts';
import { ShowButton } from './parts.tsx';

const columnsOf = (open: (update: RefusedUpdate) => void): readonly Column<RefusedUpdate>[] => [
  { title: 'Time', field: 'time', as: 'time', width: '6rem' },
  { title: 'Message of the rules', field: 'verificationDetails', width: 'minmax(9rem, 3fr)' },
  {
    title: 'Outcome',
    field: 'verificationStatus',
    cell: ({ verificationStatus = '' }) => (
      <Text value={verificationStatus.split(' - ')[0] ?? ''} max={60} class="badge badge-error" />
    ),
    width: '7rem',
  },
  { title: 'Proposed by', field: 'principal', width: 'minmax(6rem, 1fr)' },
  {
    title: 'Changes',
    field: 'proposed',
    as: 'count',
    cell: (update) => (
      <ShowButton onClick={() => open(update)}>
        {update.proposed ?? 0}
        <span class="visually-hidden"> proposed changes: show</span>
      </ShowButton>
    ),
    width: '5rem',
  },
];

/** The latest updates that the rules refused. */
export function RefusedView({ space: { agent } }: SpaceProps): JSX.Element {
  const opened = useSignal<RefusedUpdate | undefined>(undefined);
  const { value, error, busy, reload } = useRead((signal) => admin.call('ListRefusedUpdates', { agent }, { signal }));
  const { mutations = [], proposed = 0, verificationStatus = '', verificationDetails = '' } = opened.value ?? {};
  return (
    <div class="stack" aria-busy={busy}>
      <div class="list-line">
        <span class="muted">The replica that answers remembers the latest 50 refused updates since it started.</span>
        <Button kind="quiet" icon="reload" onClick={reload} busy={busy}>
          Refresh
        </Button>
      </div>
      <Failure error={error} onRetry={reload} />
      {value && (
        <Table
          label="Refused updates"
          columns={columnsOf((one) => (opened.value = one))}
          rows={value.updates ?? []}
          rowKey={({ time, principal = '', verificationDetails = '' }) => `${time} ${principal} ${verificationDetails}`}
          empty={<Empty title="No update was refused" />}
        />
      )}
      <Dialog title="Refused update" open={opened.value !== undefined} onClose={() => (opened.value = undefined)} wide>
        <div class="stack">
          <Text value={`${verificationStatus}\n${verificationDetails}`} multiline />
          {mutations.length < proposed && (
            <p>
              {mutations.length} of {proposed} proposed changes were kept: large proposals are remembered in part.
            </p>
          )}
          {mutations.length > 0 && <Json label="Proposed changes" value={mutations} depth={4} maxHeight="50vh" />}
        </div>
      </Dialog>
    </div>
  );
}
