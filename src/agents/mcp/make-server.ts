import type { Logger } from '../../core/ports/logger.ts';
import { clientTls } from '../../net/client-tls.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { createOutboundAuth, type OutboundAuth } from '../../net/outbound-auth.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import type { ToolServerSettings } from '../../net/tool-server-settings.ts';
import type { ToolServer } from './tool-server.ts';

interface ServerDeps {
  /** The agent that the server is of. */
  readonly agent: string;
  readonly version: string;
  readonly logger: Logger;
}

type Make<S> = (settings: S, name: string, deps: ServerDeps) => Promise<ToolServer>;

/** A pool of connections to a server, and what it is shown of the gateway. */
async function reach(
  { url, auth }: { readonly url: string; readonly auth: OutboundAuthSettings | undefined },
  logger: Logger,
): Promise<{ http: HttpClient; auth: OutboundAuth }> {
  const { origin } = new URL(url);
  const tls = await clientTls(auth);
  const http = createHttpClient(tls && { tls, tlsOrigin: origin });
  return { http, auth: createOutboundAuth(auth, { origin, http, logger }) };
}

/** How a server of each type is made. The SDK is loaded for those alone that need it: it is large. */
const types: { readonly [T in ToolServerSettings['type']]: Make<Extract<ToolServerSettings, { type: T }>> } = {
  http: async (settings, name, { version, logger }) => {
    const [{ connectHttp }, { SessionServer }, { CallerServers }, net] = await Promise.all([
      import('./connect.ts'),
      import('./session-server.ts'),
      import('./caller-servers.ts'),
      reach(settings, logger),
    ]);
    const common = { name, connect: connectHttp(settings, net), timeout: settings.timeout, version, logger };
    const onClose = (): void => net.http.close();
    if (settings.auth?.type !== 'forward') return new SessionServer({ ...common, onClose });
    return new CallerServers((facts) => new SessionServer({ ...common, facts }), onClose);
  },
  stdio: async (settings, name, { version, logger }) => {
    const [{ connectProcess }, { SessionServer }] = await Promise.all([
      import('./connect.ts'),
      import('./session-server.ts'),
    ]);
    const connect = connectProcess(settings, logger, name);
    return new SessionServer({ name, connect, timeout: settings.timeout, version, logger });
  },
  'method-per-tool': async (settings, _, { logger }) => {
    const [{ MethodServer }, net] = await Promise.all([import('./method-server.ts'), reach(settings, logger)]);
    return new MethodServer(settings, net);
  },
};

/** Makes what talks to a server. Nothing is opened yet. Rejects when a file of its credentials cannot be read. */
export function makeServer(id: string, settings: ToolServerSettings, deps: ServerDeps): Promise<ToolServer> {
  const make = types[settings.type] as Make<ToolServerSettings>;
  return make(settings, `${deps.agent}.${id}`, deps);
}
