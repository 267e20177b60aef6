import '../../tasks/tasks.css';
import './knowledge.css';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { type AgentStatus, admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, navigate, route } from '../../shell/router.ts';
import { Button, Empty, Field, Notice, Page, Select, Tabs, Text } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { ChangesView } from './changes.tsx';
import { type Space, type View, viewHref, views } from './gateway.ts';
import { EntitiesView, StatementsView } from './lists.tsx';
import { ProposeView } from './propose.tsx';
import { RefusedView } from './refused.tsx';

const content: { readonly [V in View]: { title: string; view: (props: { readonly space: Space }) => JSX.Element } } = {
  statements: { title: 'Statements', view: StatementsView },
  entities: { title: 'Entities', view: EntitiesView },
  changes: { title: 'Changes', view: ChangesView },
  propose: { title: 'Propose', view: ProposeView },
  refused: { title: 'Refused', view: RefusedView },
};

const isView = (name: string | null): name is View => views.some((view) => view === name);

export default function KnowledgePage(): JSX.Element {
  const { path, query } = route.value;
  const { value, error, busy, reload } = useRead((signal) => admin.call('ListAgents', {}, { signal }));
  const agents = value?.agents?.filter(({ knowledge }) => knowledge);
  const [name = agents?.[0]?.name] = path;
  if (name === undefined) {
    return (
      <Page title="Knowledge" busy={busy} error={error} onRetry={reload}>
        {agents && (
          <Empty title="No agent has a knowledge graph">
            Add <code>knowledge: true</code> to an agent in the configuration, or rules and files to begin with.
          </Empty>
        )}
      </Page>
    );
  }
  const space = { agent: name, tenant: query.get('tenant') ?? '' };
  const wanted = query.get('view');
  const view = isView(wanted) ? wanted : query.has('id') ? 'entities' : 'statements';
  const { view: Content } = content[view];
  const agent = value?.agents?.find((one) => one.name === name);
  return (
    <Page
      title={`Knowledge of ${visibleLine(name)}`}
      error={error}
      onRetry={reload}
      actions={
        <>
          <a class="button" href={hrefOf('bench', [], { agent: name, dialect: 'knowledge-1.0', operation: 'Query' })}>
            GraphQL
          </a>
          <SpaceChoice key={space.tenant} space={space} agents={agents ?? []} view={view} />
        </>
      }
    >
      {agent && !agent.knowledge ? (
        <Empty title="This agent has no knowledge graph">
          An agent has one where its section <code>knowledge</code> in the configuration, or its upstream card, says so.
        </Empty>
      ) : (
        <>
          <Languages agent={agent} />
          <Tabs
            label="Views"
            selected={view}
            tabs={views.map((id) => ({ id, title: content[id].title, href: viewHref(space, id) }))}
          />
          <Content key={JSON.stringify(space)} space={space} />
        </>
      )}
    </Page>
  );
}

/** Tells that a graph cannot be asked by GraphQL, which the views use. */
function Languages({ agent }: { readonly agent: AgentStatus | undefined }): JSX.Element | null {
  const languages = agent?.queryLanguages ?? [];
  if (languages.length === 0 || languages.some((one) => one.toLowerCase() === 'graphql')) return null;
  return (
    <Notice severity="warning">
      This graph does not support GraphQL, which lists need. It supports <Text value={languages.join(', ')} max={200} />
      .
    </Notice>
  );
}

interface SpaceChoiceProps {
  readonly space: Space;
  readonly agents: readonly AgentStatus[];
  readonly view: View;
}

/** Another agent, and a tenant. */
function SpaceChoice({ space, agents, view }: SpaceChoiceProps): JSX.Element {
  const tenant = useSignal(space.tenant);
  const submit = (event: Event): void => {
    event.preventDefault();
    navigate(viewHref({ ...space, tenant: tenant.value.trim() }, view));
  };
  return (
    <form class="row space-choice" onSubmit={submit}>
      {agents.length > 1 && (
        <Select
          label="Agent"
          hideLabel
          value={space.agent}
          options={agents.map(({ name }) => name)}
          onChange={(agent) => navigate(viewHref({ agent, tenant: space.tenant }, view))}
        />
      )}
      <Field
        label="Tenant"
        hideLabel
        placeholder="Tenant, if any"
        value={tenant.value}
        onInput={(value) => (tenant.value = value)}
      />
      {tenant.value.trim() !== space.tenant && <Button type="submit">Apply</Button>}
    </form>
  );
}
