import { reportLost } from '../shell/connection.ts';
import { authHeaders, reportRefusal } from '../shell/session.ts';
import { asGatewayError, errorOf, GatewayError } from './error.ts';

/** Where the gateway is mounted: the console is in its folder `console`. */
const mount = new URL('..', new URL('.', location.href));

/** The URL of a path below the gateway's mount point, such as `/admin/v1/agents`. */
export const gatewayUrl = (path: string): string => new URL(path.replace(/^\//, './'), mount).href;

export interface GatewayRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Whether a 403 is a matter of signing in: where the page has nothing to show without the permission. Default true. */
  readonly needed?: boolean;
}

/**
 * Calls the gateway with the tab's credential. Rejects with a GatewayError for every answer that is not a success; a refusal
 * opens the dialog to sign in, and a lost connection is shown.
 *
 * @param path below the gateway's mount point
 */
export async function callGateway(path: string, request: GatewayRequest = {}): Promise<Response> {
  const { method = 'GET', headers, body, signal, needed = true } = request;
  try {
    const response = await fetch(gatewayUrl(path), {
      method,
      headers: { ...headers, ...authHeaders() },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
    });
    if (response.ok) return response;
    throw errorOf(await response.json().catch(() => undefined), response.status, response.headers.get('Retry-After'));
  } catch (thrown) {
    const error = asGatewayError(thrown);
    if (error instanceof GatewayError) {
      const { status, message } = error;
      if (status === 0 && error.reason === 'UNREACHABLE') reportLost();
      if (status === 401 || (status === 403 && needed)) reportRefusal({ status, message });
    }
    throw error;
  }
}
