import type { Logger } from '../../../core/ports/logger.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import { clientTls, tlsAt } from '../../../net/client-tls.ts';
import { createHttpClient, type HttpClient } from '../../../net/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../../net/http-exchange.ts';
import { createOutboundAuth, type OutboundAuth } from '../../../net/outbound-auth.ts';
import type { HttpToolServerSettings } from '../../../net/tool-server-settings.ts';
import type { ToolCallContext } from './tool-server.ts';

/** A pool of connections to a server, and the gateway's credentials for it. */
export interface ToolNet {
  readonly http: HttpClient;
  readonly auth: OutboundAuth;
}

/** Rejects with an A2AError `unavailable` when a file with the server's credentials cannot be read. */
export async function openNet(
  { url, auth }: Pick<HttpToolServerSettings, 'url' | 'auth'>,
  logger: Logger,
): Promise<ToolNet> {
  const { origin } = new URL(url);
  const tls = await clientTls(auth);
  const http = createHttpClient(tls && { tls: tlsAt(origin, tls) });
  return { http, auth: createOutboundAuth(auth, { origin, http, logger }) };
}

/** Sends a request with hops, trace context and credentials; once more where the credentials have become invalid. */
export async function sendToServer(
  { http, auth }: ToolNet,
  { hops, credentials, ...caller }: Partial<ToolCallContext> = {},
  request: HttpRequest,
): Promise<HttpAnswer> {
  const context = { ...(hops !== undefined && { 'a2a-hops': String(hops) }), ...traceOf(caller) };
  for (let isFirst = true; ; isFirst = false) {
    const shown = await auth.headers(credentials?.(), request.url, request.signal);
    const answer = await http.request({ ...request, headers: { ...request.headers, ...context, ...shown } });
    if (!isFirst || answer.status !== 401 || !auth.rejected(shown)) return answer;
    answer.discard();
  }
}
