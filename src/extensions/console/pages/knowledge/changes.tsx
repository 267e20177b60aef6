import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { KnowledgeGraphChangeEvent } from '../../../../gen/knowledge-v1/types.ts';
import { GatewayError } from '../../gateway/error.ts';
import { useOpened } from '../../gateway/hooks.ts';
import { route } from '../../shell/router.ts';
import { FilterForm } from '../../tasks/filter-fields.tsx';
import { Following } from '../../tasks/following.ts';
import { LiveMark } from '../../tasks/marks.tsx';
import { count } from '../../ui/format.ts';
import { Badge, Empty, type Severity, Table } from '../../ui/index.ts';
import { changes, query, type Space, type SpaceProps } from './gateway.ts';
import { Source, useStatements } from './parts.tsx';
import { changeFilters, filterFrom } from './statements.ts';

/** Number of changes before the page was opened that are shown first. */
const earlier = 50;
/** Largest number of changes in the list. */
const mostKept = 1_000;
const severities: Readonly<Record<string, Severity>> = { add: 'ok', remove: 'error', replace: 'warning' };

type Change = ReturnType<typeof rowOf>;

/** Returns a change's statement with the facts of the change. */
const rowOf = ({ statement, ...change }: KnowledgeGraphChangeEvent) => ({ ...statement, ...change });

/** The latest changes that pass a filter, and new ones as they arrive, the latest first. */
class ChangeList {
  readonly rows = signal<readonly Change[]>([]);
  readonly error = signal<unknown>(undefined);
  readonly stream: Following<KnowledgeGraphChangeEvent, number>;
  readonly #space: Space;
  readonly #closed = new AbortController();

  constructor(space: Space, filter: object) {
    this.#space = space;
    const open = changes(space, filter);
    const { rows } = this;
    this.stream = new Following<KnowledgeGraphChangeEvent, number>({
      async *open(after, options) {
        try {
          yield* open(after, options);
        } catch (error) {
          // Earlier changes may have expired: then the list begins now.
          const isExpired = error instanceof GatewayError && error.reason.includes('SUBSCRIPTION');
          if (!isExpired || rows.peek().length > 0) throw error;
          yield* open(undefined, options);
        }
      },
      next: ({ changeMetadata }, last = -1) => {
        const position = Number(changeMetadata?.position);
        return position > last ? position : undefined;
      },
      endless: true,
      onEvents: (events) => (rows.value = [...events.map(rowOf).toReversed(), ...rows.peek()].slice(0, mostKept)),
    });
  }

  async open(): Promise<void> {
    const { signal } = this.#closed;
    const answer = await query(this.#space, { query: '{ __typename }' }, signal).catch(() => undefined);
    const { position } = answer?.queryMetadata ?? {};
    this.stream.start(signal, typeof position === 'number' ? Math.max(0, position - earlier) : undefined);
  }

  close(): void {
    this.#closed.abort();
  }
}

/** The latest changes of one agent's knowledge, and new ones as they arrive, the latest first. */
export function ChangesView({ space }: SpaceProps): JSX.Element {
  const filter = filterFrom(route.value.query, changeFilters);
  const [list] = useOpened(() => new ChangeList(space, filter), JSON.stringify(filter));
  const { columns, dialog } = useStatements(space);
  const { subject, predicate, object, certainty, details } = columns;
  return (
    <div class="stack">
      <FilterForm of="changes" table={changeFilters} />
      <div class="list-line">
        <LiveMark stream={list.stream} />
        <span class="muted">Shows at most the latest {count(mostKept)} changes, newest first.</span>
      </div>
      {(list.rows.value.length > 0 || list.stream.state.value === 'open') && (
        <Table
          label="Changes"
          columns={[
            {
              title: 'Change',
              cell: ({ op }) => <Badge state={op} severity={severities[op] ?? 'idle'} />,
              width: '6.5rem',
            },
            ...[subject, predicate, object, certainty],
            {
              title: 'Source and justification',
              cell: ({ changeMetadata = {} }) => (
                <>
                  {changeMetadata.verification !== undefined && <Badge state="pending review" severity="warning" />}{' '}
                  <Source provenance={changeMetadata} />
                </>
              ),
              width: 'minmax(7rem, 1.6fr)',
            },
            { title: 'Time', field: 'timestamp', as: 'time', width: '5.5rem' },
            details,
          ]}
          rows={list.rows.value}
          rowKey={({ changeId }) => changeId}
          empty={<Empty title="No changes so far">New changes appear here at once.</Empty>}
        />
      )}
      {dialog}
    </div>
  );
}
