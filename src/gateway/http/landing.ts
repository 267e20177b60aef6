import type { ListedAgent } from '../../transports/pages/catalogs.ts';
import { escapeHtml as escaped } from '../../wire/html.ts';

export type ShownAgent = Omit<ListedAgent, 'signatures'>;

/** The other pages, with descriptions. */
const pages: readonly (readonly [path: string, what: string])[] = [
  ['/agents', 'the agents, as JSON'],
  ['/openapi.json', 'the HTTP+JSON interface, as OpenAPI'],
  ['/healthz', 'whether the gateway is alive'],
  ['/readyz', 'whether it accepts work, and the state of its store and agents'],
  [
    '/metrics',
    'metrics for Prometheus, for callers with the scope metrics, and on this machine where it needs no credentials',
  ],
];

const style = `:root{color-scheme:light dark}
body{font:14px/1.6 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1.25rem;color:light-dark(#16191f,#e6e8ec);background:light-dark(#fff,#131519)}
h1{font-size:22px;letter-spacing:-.01em}h2{font-size:16px;margin:2rem 0 .5rem}
code,pre{font:.93em ui-monospace,monospace}pre{overflow:auto;padding:.75rem 1rem;border:1px solid light-dark(#e3e6ea,#292d35);border-radius:6px}
dt{margin-top:1rem;font-weight:600}dd{margin:0;overflow-wrap:anywhere}li{overflow-wrap:anywhere}
a{color:light-dark(#2454c4,#8fb0ff)}
.console{display:inline-block;padding:.4rem .9rem;border-radius:6px;background:light-dark(#2454c4,#3763cf);color:#fff;text-decoration:none}`;

interface LandingLinks {
  /** Whether the gateway serves the console. */
  readonly console: boolean;
  /** URL of the card at the root. Undefined without a default agent, and for readers who may not call it. */
  readonly card: string | undefined;
}

/**
 * The page for people who open the gateway's URL in a browser: which agents there are, and the URLs for clients.
 *
 * @param origin scheme and authority that clients use
 * @param agents agents that the reader may call; undefined without valid credentials
 */
export function landingPage(origin: string, agents: readonly ShownAgent[] | undefined, links: LandingLinks): string {
  const shown = agents?.map(
    ({ name, title, description, url, card }) => `<dt>${escaped(title ?? name)}</dt>
<dd>${escaped(description ?? '')}</dd>
<dd>URL: <code>${escaped(url)}</code> · <a href="${escaped(card)}">card</a></dd>`,
  );
  const listed =
    shown === undefined
      ? '<p>Agents are listed for callers with credentials.</p>'
      : shown.length === 0
        ? '<p>You may not call any agent.</p>'
        : `<dl>${shown.join('\n')}</dl>`;
  const listedPages = pages.map(([path, what]) => `<li><a href="${escaped(origin + path)}">${path}</a>: ${what}</li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>a2a-gateway</title>
<style>${style}</style>
<h1>a2a-gateway</h1>
<p>This server speaks <a href="https://a2a-protocol.org">A2A</a> over JSON-RPC, HTTP+JSON, gRPC and Connect, and MCP, all at
<code>${escaped(origin)}</code>. Give this URL to a client, or the URL of one agent.</p>
${links.console ? '<p><a class="console" href="./console/">Open the console</a></p>\n<p>It asks for a key of an operator. If none is configured, the gateway prints the address with a key when it starts.</p>\n' : ''}${
  links.card === undefined ? '' : `<p>Card: <a href="${escaped(links.card)}">${escaped(links.card)}</a></p>\n`
}<h2>Agents</h2>
${listed}
<h2>Try it</h2>
<pre>npx a2a-gateway card ${escaped(origin)}
npx a2a-gateway send ${escaped(origin)} 'say hello'</pre>
<h2>Pages</h2>
<ul>${listedPages.join('\n')}</ul>
</html>
`;
}
