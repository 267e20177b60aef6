import type { JSX } from 'preact';
import { gatewayUrl } from '../../gateway/base.ts';
import { settings } from '../../gateway/settings.ts';
import type { AgentStatus } from '../../gateway/types.ts';
import { route, setQuery } from '../../shell/router.ts';
import { Code, Copy, Tabs, Text } from '../../ui/index.ts';
import { snippetsFor } from './snippets.ts';

/** How clients reach the agent: text to copy for each. */
export function Connect({ agent }: { readonly agent: AgentStatus }): JSX.Element {
  const { name, isDefault = false } = agent;
  const gateway = gatewayUrl('/').replace(/\/$/, '');
  const { apiKeyHeader, bearer = false } = settings.value ?? {};
  const snippets = snippetsFor({ gateway, agent: name, isDefault, apiKeyHeader, bearer });
  const wanted = route.value.query.get('client');
  const snippet = snippets.find(({ id }) => id === wanted) ?? snippets[0];
  const card = `${gateway}/${name}/.well-known/agent-card.json`;
  return (
    <div class="stack">
      <dl class="facts facts-wide">
        <Address title="URL of the agent" value={`${gateway}/${name}`} />
        <Address title="Card" value={card} />
        {isDefault && <Address title="As the default agent" value={gateway} />}
      </dl>
      <div>
        <Tabs
          label="Clients"
          tabs={snippets.map(({ id, title }) => ({ id, title }))}
          selected={snippet?.id ?? ''}
          onSelect={(client) => setQuery({ client }, { replace: true })}
        >
          {snippet && (
            <div class="stack snippet">
              {snippet.install && <Code value={snippet.install} label="installation" />}
              <Code value={snippet.code} label={`${snippet.title} code`} />
              {snippet.note && <p class="muted">{snippet.note}</p>}
            </div>
          )}
        </Tabs>
      </div>
    </div>
  );
}

const Address = ({ title, value }: { readonly title: string; readonly value: string }): JSX.Element => (
  <div>
    <dt>{title}</dt>
    <dd class="address">
      <Text value={value} mono />
      <Copy value={value} label={`Copy: ${title}`} />
    </dd>
  </div>
);
