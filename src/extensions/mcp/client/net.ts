import type { Logger } from '../../../core/ports/logger.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import { clientTls, tlsAt } from '../../../net/client-tls.ts';
import { createOutboundAuth, type OutboundAuth } from '../../../net/credentials/outbound-auth.ts';
import type { OutboundAuthSettings } from '../../../net/credentials/outbound-settings.ts';
import { createHttpClient, type HttpClient } from '../../../net/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../../net/http-exchange.ts';
import { hide, secretsInQuery } from '../../../net/secret.ts';
import type { ToolCallContext } from './tool-server.ts';

/** Connection pool to a server, with the gateway's credentials. */
export interface ToolNet {
  readonly http: HttpClient;
  readonly auth: Pick<OutboundAuth, 'headers'>;
  /** Whether the first request waits for a token from an authorization server. */
  readonly getsTokens?: true;
  /**
   * Removes credentials that were sent to the server from a text.
   *
   * @param caller caller whose credentials the request contained
   */
  hide(text: string, caller?: Pick<ToolCallContext, 'credentials'>): string;
  /** Whether a refused request would be sent with other credentials the next time. */
  renew(refused: HttpAnswer, sent: Readonly<Record<string, string>>): boolean | Promise<boolean>;
}

/**
 * Opens the connection pool.
 *
 * @throws A2AError `unavailable` if a file with the server's credentials cannot be read
 */
export async function openNet(
  { url, auth: settings }: { readonly url: string; readonly auth: OutboundAuthSettings | undefined },
  logger: Logger,
): Promise<ToolNet> {
  const { origin } = new URL(url);
  const tls = await clientTls(settings);
  const http = createHttpClient(tls && { tls: tlsAt(origin, tls) });
  const auth = createOutboundAuth(settings, { origin, http, logger });
  const query = [...secretsInQuery(new URL(url))];
  return {
    http,
    auth,
    hide: (text, caller) => hide(auth.hide(text, caller?.credentials?.()), query),
    renew: ({ status }, sent) => status === 401 && auth.rejected(sent),
  };
}

/**
 * Sends a request with hop count, trace context and credentials. If the server refuses the credentials in a way that
 * other credentials may avoid, sends it again, once for each kind of refusal.
 */
export async function sendToServer(
  { http, auth, renew }: ToolNet,
  { hops, credentials, ...caller }: Partial<ToolCallContext> = {},
  request: HttpRequest,
): Promise<HttpAnswer> {
  const context = { ...(hops !== undefined && { 'a2a-hops': String(hops) }), ...traceOf(caller) };
  const renewed: number[] = [];
  for (;;) {
    const shown = await auth.headers(credentials?.(), request.url, request.signal);
    const answer = await http.request({ ...request, headers: { ...request.headers, ...context, ...shown } });
    const { status } = answer;
    if (status < 400 || renewed.includes(status) || !(await renew(answer, shown))) return answer;
    renewed.push(status);
    answer.discard();
  }
}
