import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useRead } from '../../gateway/hooks.ts';
import { navigate, route } from '../../shell/router.ts';
import { Button, Copy, Empty, Failure, Text, TextForm } from '../../ui/index.ts';
import { entityHref, query, type Space, statementsHref, viewHref } from './gateway.ts';
import { emptyGraph, expand, type Graph, mostNodes, remove } from './graph.ts';
import { type Layout, layOut } from './layout.ts';
import { EntitiesView, keyOf } from './lists-view.tsx';
import { Certainty, EntityLink, Iri, ObjectValue, Types } from './parts.tsx';
import { Picture } from './picture.tsx';
import { countText, type EntityDetails, entityFrom, entityQuery, type Page, type Statement } from './statements.ts';

/** Statements of each direction that are read of an entity. */
const pageSize = 40;

/** The graph to walk in: one entity after the other brings its neighbours. */
export function WalkView({ space }: { readonly space: Space }): JSX.Element {
  const id = route.value.query.get('id') ?? '';
  return id === '' ? <Start space={space} /> : <Walk key={JSON.stringify(space)} space={space} id={id} />;
}

/** Where the walk begins. */
const Start = ({ space }: { readonly space: Space }): JSX.Element => (
  <div class="stack">
    <TextForm
      label="Start at the entity"
      action="Show"
      placeholder="id, or choose one below"
      onSubmit={(id) => navigate(entityHref(space, id))}
    />
    <EntitiesView space={space} />
  </div>
);

interface WalkState {
  readonly graph: Graph;
  readonly layout: Layout;
  readonly root: string;
  /** Ids of entities that were removed. */
  readonly without: ReadonlySet<string>;
}

function Walk({ space, id }: { readonly space: Space; readonly id: string }): JSX.Element {
  const walk = useSignal<WalkState>({ graph: emptyGraph, layout: new Map(), root: id, without: new Set() });
  const enter = (entity: EntityDetails): void => {
    const { types, out, in: incoming } = entity;
    const { graph, layout, root, without: removed } = walk.peek();
    // A full picture has no room for an entity that is not in it: then another one begins.
    const isNew = !graph.nodes.has(id) && graph.nodes.size >= mostNodes;
    const before = isNew ? emptyGraph : graph;
    const more = out.after !== undefined || incoming.after !== undefined;
    const without = new Set(removed);
    without.delete(id);
    const next = expand(before, { id, types, statements: [...out.items, ...incoming.items], more }, without);
    const nextRoot = isNew ? id : root;
    walk.value = { graph: next, layout: layOut(next, isNew ? new Map() : layout, nextRoot), root: nextRoot, without };
  };

  const { value, error, busy, reload } = useRead(
    async (signal) => {
      const request = { query: entityQuery, variables: { id, first: pageSize } };
      const entity = entityFrom((await query(space, request, signal)).data);
      if (entity && !signal.aborted) enter(entity);
      return { id, entity };
    },
    { key: id },
  );
  // The entity before stays until the next one was read.
  const latest = useRef(value);
  latest.current = value ?? latest.current;
  const current = latest.current;
  const { graph, layout, root, without } = walk.value;
  const startAnew = (): void => {
    walk.value = { graph: emptyGraph, layout: new Map(), root: id, without: new Set() };
    reload();
  };
  const leave = (): void => {
    const rest = remove(graph, id, root);
    walk.value = { graph: rest, layout: layOut(rest, layout, root), root, without: new Set([...without, id]) };
    navigate(entityHref(space, root));
  };
  return (
    <div class="stack" aria-busy={busy}>
      <div class="row">
        <a href={viewHref(space, 'graph')}>All entities</a>
        <Button onClick={startAnew}>Restart from here</Button>
        {id !== root && <Button onClick={leave}>Remove from the picture</Button>}
        <span class="muted" role="status">
          {busy ? 'Reading…' : `${graph.nodes.size} entities shown, at most ${mostNodes}`}
        </span>
      </div>
      <Failure error={error} onRetry={reload} />
      {current && !current.entity && (
        <Empty title="The graph has no such entity">No statement has this id as its subject or its object.</Empty>
      )}
      <div class="split">
        {graph.nodes.size > 0 && (
          <Picture graph={graph} layout={layout} focus={id} href={(other) => entityHref(space, other)} />
        )}
        {current?.entity && <EntityPanel space={space} id={current.id} entity={current.entity} />}
      </div>
    </div>
  );
}

interface EntityPanelProps {
  readonly space: Space;
  readonly id: string;
  readonly entity: EntityDetails;
}

/** One entity in lists: the same walk without the picture. */
function EntityPanel({ space, id, entity: { types, out, in: incoming } }: EntityPanelProps): JSX.Element {
  const literals = out.items.filter(({ object }) => object.id === undefined);
  const links = out.items.filter(({ object }) => object.id !== undefined);
  return (
    <section class="split-side entity" aria-label="Entity">
      <header>
        <h2>
          <Iri id={id} />
        </h2>
        <p class="entity-id">
          <Text value={id} mono /> <Copy value={id} label="Copy the id" />
        </p>
        {types.length > 0 && (
          <p>
            <Types space={space} types={types} />
          </p>
        )}
      </header>
      <Relations title="Values" list={literals} other={({ object }) => <ObjectValue space={space} object={object} />} />
      <Relations
        title="Outgoing"
        list={links}
        other={({ object }) => <EntityLink space={space} id={object.id ?? ''} />}
      />
      <More page={out} href={statementsHref(space, { subject: id })} />
      <Relations
        title="Incoming"
        list={incoming.items}
        other={({ subject }) => <EntityLink space={space} id={subject.id} />}
      />
      <More page={incoming} href={statementsHref(space, { object: id })} />
    </section>
  );
}

interface RelationsProps {
  readonly title: string;
  readonly list: readonly Statement[];
  /** The other end of a statement. */
  readonly other: (statement: Statement) => JSX.Element;
}

function Relations({ title, list, other }: RelationsProps): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul class="relations" aria-label={title}>
        {list.map((statement) => (
          <li key={keyOf(statement)}>
            <Iri id={statement.predicate.id} />
            <span>
              {other(statement)}
              {statement.certainty !== undefined && <Certainty value={statement.certainty} />}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function More({ page, href }: { readonly page: Page<Statement>; readonly href: string }): JSX.Element | null {
  if (page.after === undefined) return null;
  const total = page.total ? ` ${countText(page.total)}` : '';
  return (
    <p>
      <a href={href}>All{total} statements</a> <span class="muted">(the first {page.items.length} are shown)</span>
    </p>
  );
}
