import '../../tasks/tasks.css';
import './knowledge.css';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { type AgentStatus, admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, navigate, route } from '../../shell/router.ts';
import { Button, Empty, Field, Page, Select, Tabs } from '../../ui/index.ts';
import { visibleLine } from '../../ui/visible.ts';
import { type SpaceProps, viewHref } from './gateway.ts';
import { StatementsView } from './lists.tsx';
import { RefusedView } from './refused.tsx';

const views: Readonly<Record<string, readonly [title: string, view: (props: SpaceProps) => JSX.Element]>> = {
  statements: ['Statements', StatementsView],
  refused: ['Refused', RefusedView],
};

const dialect = 'knowledge-1.0';

/** Operations that are calls of the bench, with the titles of their links. */
const calls = { Query: 'GraphQL', Update: 'Propose changes', Subscribe: 'Live changes' } as const;

export default function KnowledgePage(): JSX.Element {
  const { path, query } = route.value;
  const read = useRead((signal) => admin.call('ListAgents', {}, { signal }));
  const { value } = read;
  const agents = value?.agents?.filter(({ knowledge }) => knowledge);
  const [name = agents?.[0]?.name] = path;
  if (name === undefined) {
    return (
      <Page title="Knowledge" of={read}>
        {agents && (
          <Empty title="No agent has a knowledge graph">
            Add <code>knowledge: true</code> to an agent in the configuration, or rules and files to begin with.
          </Empty>
        )}
      </Page>
    );
  }
  const space = { agent: name, tenant: query.get('tenant') ?? '' };
  const wanted = query.get('view') ?? 'statements';
  const view = Object.hasOwn(views, wanted) ? wanted : 'statements';
  const [, Content = StatementsView] = views[view] ?? [];
  const agent = value?.agents?.find((one) => one.name === name);
  return (
    <Page
      title={`Knowledge of ${visibleLine(name)}`}
      of={read}
      actions={
        <>
          {Object.entries(calls).map(([operation, title]) => (
            <a key={operation} class="button" href={hrefOf('bench', [], { agent: name, dialect, operation })}>
              {title}
            </a>
          ))}
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
          <Tabs
            label="Views"
            selected={view}
            tabs={Object.entries(views).map(([id, [title]]) => ({ id, title, href: viewHref(space, id) }))}
          />
          <Content key={JSON.stringify(space)} space={space} />
        </>
      )}
    </Page>
  );
}

interface SpaceChoiceProps extends SpaceProps {
  readonly agents: readonly AgentStatus[];
  readonly view: string;
}

/** A choice of another agent, and a tenant. */
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
