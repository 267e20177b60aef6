import type { JSX } from 'preact';
import { admin, type CardRevision, type Difference, type RegisteredAgent } from '../../gateway/admin.ts';
import { words } from '../../ui/format.ts';
import {
  ActionButton,
  Badge,
  type Column,
  Empty,
  type Fact,
  Facts,
  Notice,
  Table,
  Text,
  Time,
} from '../../ui/index.ts';

interface Props<T> {
  readonly of: T;
  readonly onChanged: () => void;
}

/** The agents that were registered at run time, those whose cards wait first, each with its revisions. */
export function Registrations({ of, onChanged }: Props<readonly RegisteredAgent[]>): JSX.Element {
  const waits = ({ revisions = [] }: RegisteredAgent): number => Number(revisions.some(isWaiting));
  if (of.length === 0)
    return (
      <Empty title="No agent is registered">
        Where the configuration has registration.allow, callers with the scope agents register agents.
      </Empty>
    );
  return (
    <div class="stack">
      {of
        .toSorted((a, b) => waits(b) - waits(a))
        .map((agent) => (
          <Registration key={agent.name} of={agent} onChanged={onChanged} />
        ))}
    </div>
  );
}

const isWaiting = ({ state }: CardRevision): boolean => state === 'REVISION_STATE_WAITING';

function Registration({ of, onChanged }: Props<RegisteredAgent>): JSX.Element {
  const { name, owner, active = false, registeredAt, expiresAt, problem = '', revisions = [] } = of;
  const facts: readonly Fact[] = [
    ['Owner', <Text key="owner" value={owner} mono />],
    ['Registered', <Time key="at" at={registeredAt} />],
    ['Lease ends', expiresAt && <Time at={expiresAt} />],
  ];
  return (
    <section aria-label={name}>
      <div class="row spread">
        <h2 class="section-title">
          <Text value={name} /> <Badge state={active ? 'active' : 'not served'} severity={active ? 'ok' : 'idle'} />
        </h2>
        <ActionButton
          operation="RemoveAgent"
          label="Remove"
          title={`Remove ${name}?`}
          danger
          act={async () => {
            await admin.call('RemoveAgent', { name });
            onChanged();
          }}
        >
          <p>Calls of the agent are refused from then on. Its tasks stay in the store.</p>
        </ActionButton>
      </div>
      <Facts facts={facts} />
      {problem !== '' && (
        <Notice severity="warning">
          Its card could not be read: <Text value={problem} max={500} />
        </Notice>
      )}
      {revisions.map((revision) => (
        <Revision key={revision.id} of={revision} name={name} onChanged={onChanged} />
      ))}
    </section>
  );
}

const differenceColumns: readonly Column<Difference>[] = [
  { title: 'Where', field: 'path', as: 'mono', width: 'minmax(8rem, 1fr)' },
  { title: 'Served', field: 'before', as: 'mono', width: 'minmax(8rem, 2fr)' },
  { title: 'Here', field: 'after', as: 'mono', width: 'minmax(8rem, 2fr)' },
];

/** A card, how it differs from the one that is served, and what can be decided about it. */
function Revision({ of, name, onChanged }: Props<CardRevision> & { readonly name: string }): JSX.Element {
  const { id, seenAt, decidedAt, decidedBy = '', differences = [] } = of;
  const state = (of.state ?? '').replace('REVISION_STATE_', '');
  const decide = (reject: boolean): (() => Promise<void>) => {
    return async () => {
      await admin.call('ApproveAgent', { name, revision: id, reject });
      onChanged();
    };
  };
  const what = `the card of ${name} of revision ${id.slice(0, 6)}`;
  return (
    <details open={isWaiting(of)}>
      <summary>
        <Badge state={words(state)} severity={isWaiting(of) ? 'warning' : 'idle'} /> <code>{id.slice(0, 6)}</code>
      </summary>
      <p class="muted">
        Seen <Time at={seenAt} />
        {decidedAt && ', decided '}
        {decidedAt && <Time at={decidedAt} />} {decidedBy !== '' && <Text value={`by ${decidedBy}`} />}
      </p>
      <div class="row">
        {state !== 'APPROVED' && (
          <ActionButton operation="ApproveAgent" label="Approve" title={`Serve ${what}?`} act={decide(false)}>
            <p>It decides from then on which address is called, and what callers see of the agent.</p>
          </ActionButton>
        )}
        {(state === 'APPROVED' || state === 'WAITING') && (
          <ActionButton operation="ApproveAgent" label="Refuse" title={`Refuse ${what}?`} danger act={decide(true)}>
            <p>
              {state === 'APPROVED' ? 'Nothing is served for the agent until a card is approved.' : 'It is not served.'}
            </p>
          </ActionButton>
        )}
      </div>
      {differences.length > 0 && (
        <Table
          label={`Differences of ${id}`}
          columns={differenceColumns}
          rows={differences}
          rowKey={({ path }) => path}
          maxHeight="40vh"
        />
      )}
    </details>
  );
}
