/** Why a call of the gateway failed. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Such as TASK_NOT_FOUND; `UNREACHABLE` or `TIMEOUT` where there was no answer, `PROXY` where another program answered. */
  readonly reason: string;
  /** The request's field that the error is about. */
  readonly field: string | undefined;
  /** Seconds after which the gateway wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    reason: string,
    message: string,
    { field, retryAfter }: { readonly field?: string | undefined; readonly retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.field = field;
    this.retryAfter = retryAfter;
  }

  /** Whether the same call may succeed later. */
  get temporary(): boolean {
    return [0, 408, 429, 502, 503, 504].includes(this.status);
  }
}

interface ErrorBody {
  /** Why the gateway is not ready, in the answer of `/readyz`. */
  readonly status?: string;
  readonly reason?: string;
  readonly error?: {
    readonly code?: number;
    readonly message?: string;
    readonly details?: readonly {
      readonly reason?: string;
      readonly fieldViolations?: readonly { readonly field?: string; readonly description?: string }[];
    }[];
  };
}

/**
 * The error of an answer in the format of A2A 1.0.1 section 11.6.
 *
 * @param status HTTP status; absent for an error in a stream, which holds it
 */
export function errorOf(body: unknown, status?: number, retryAfter?: string | null): GatewayError {
  const { error, status: state, reason = state } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const details = Array.isArray(error?.details) ? error.details : [];
  const code = status ?? error?.code ?? 500;
  const [violation] = details.flatMap((detail) => detail.fieldViolations ?? []);
  if (code >= 502 && code <= 504 && !error && state === undefined) {
    const message = `a proxy answered with status ${code} in the gateway's place`;
    return new GatewayError(code, 'PROXY', message, { retryAfter: secondsOf(retryAfter) });
  }
  const message = error?.message ?? reason ?? `The gateway answered with status ${code}`;
  return new GatewayError(
    code,
    details.find(({ reason }) => typeof reason === 'string')?.reason ?? 'UNKNOWN',
    violation?.field === undefined ? message : `${message}: ${violation.field} ${violation.description ?? ''}`.trim(),
    { field: violation?.field, retryAfter: secondsOf(retryAfter) },
  );
}

const secondsOf = (header: string | null | undefined): number | undefined =>
  header ? Number(header) || undefined : undefined;

/** The error of an answer that is not a success. */
export const refusedBy = async (response: Response): Promise<GatewayError> =>
  errorOf(await response.json().catch(() => undefined), response.status, response.headers.get('Retry-After'));

/** What was thrown, as a GatewayError. Aborted calls stay what they are. */
export function asGatewayError(thrown: unknown): unknown {
  if (thrown instanceof GatewayError || !(thrown instanceof Error) || thrown.name === 'AbortError') return thrown;
  if (thrown.name === 'TimeoutError') return new GatewayError(0, 'TIMEOUT', 'The gateway did not answer in time.');
  return new GatewayError(0, 'UNREACHABLE', 'The gateway cannot be reached.');
}

/** The sentence to show for anything that was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
