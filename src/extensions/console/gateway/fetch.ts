import { reportFault } from '../shell/connection.ts';
import { refusalsFromNow } from '../shell/session.ts';
import { asGatewayError, GatewayError, refusedBy } from './error.ts';
import { send } from './raw.ts';

interface GatewayRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /**
   * Whether a 403 is a matter of signing in, because the page has nothing to show without the permission. Default true.
   */
  readonly needed?: boolean;
}

/**
 * Calls the gateway with the browser's session. Rejects with a GatewayError for every response that is not a success; a
 * refusal opens the dialog to sign in, and a gateway that cannot be used is shown.
 *
 * @param path below the gateway's mount point
 */
export async function callGateway(path: string, { needed = true, ...init }: GatewayRequest = {}): Promise<Response> {
  const reportRefusal = refusalsFromNow();
  try {
    const response = await send(path, init);
    if (response.ok) return response;
    throw await refusedBy(response);
  } catch (thrown) {
    const error = asGatewayError(thrown);
    if (error instanceof GatewayError) {
      reportFault(error);
      if (error.status === 401 || (error.status === 403 && needed)) reportRefusal(error);
    }
    throw error;
  }
}
