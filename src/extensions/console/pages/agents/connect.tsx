import type { JSX } from 'preact';
import type { AgentStatus } from '../../gateway/admin.ts';
import { gatewayUrl } from '../../gateway/raw.ts';
import { settings } from '../../gateway/settings.ts';
import { Code, Copy, Facts, Text } from '../../ui/index.ts';
import { snippetsFor } from './snippets.ts';

/** The addresses of an agent, and ways to call it, each a text to copy. */
export function Connect({ agent: { name, isDefault = false } }: { readonly agent: AgentStatus }): JSX.Element {
  const gateway = gatewayUrl('/').replace(/\/$/, '');
  const { apiKeyHeader, bearer = false } = settings.value ?? {};
  const addresses: readonly (readonly [title: string, url: string])[] = [
    ['URL of the agent', `${gateway}/${name}`],
    ['Card', `${gateway}/${name}/.well-known/agent-card.json`],
    ...(isDefault ? [['As the default agent', gateway] as const] : []),
  ];
  return (
    <section class="stack" aria-label="Connect">
      <h3 class="section-title">Connect</h3>
      <Facts
        kind="facts facts-wide"
        facts={addresses.map(([title, value]) => [
          title,
          <span key={title} class="address">
            <Text value={value} mono />
            <Copy value={value} label={`Copy: ${title}`} />
          </span>,
        ])}
      />
      {snippetsFor({ gateway, agent: name, apiKeyHeader, bearer }).map(({ title, code }) => (
        <details key={title}>
          <summary>{title}</summary>
          <Code value={code} label={`${title} code`} />
        </details>
      ))}
      <p class="muted">
        Commands read an API key from A2A_API_KEY, and a token from A2A_BEARER. Programs with each SDK are in
        docs/guides/frameworks.md of the package, and commands for gRPC in docs/guides/grpc.md.
      </p>
    </section>
  );
}
