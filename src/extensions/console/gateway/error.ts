/** Reason for the failure of a call of the gateway. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /**
   * Reason such as TASK_NOT_FOUND; `UNREACHABLE` or `TIMEOUT` if there was no response, `PROXY` if another program
   * responded.
   */
  readonly reason: string;
  /** The request's field that the error is about. */
  readonly field: string | undefined;
  /** Seconds after which the gateway accepts a retry. */
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
  /** Reason why the gateway is not ready, in the response of `/readyz`. */
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
 * Returns the error of a response in the format of A2A 1.0.1 section 11.6.
 *
 * @param status HTTP status; absent for an error in a stream, which contains it
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

/** Returns the error of a response that is not a success. */
export const refusedBy = async (response: Response): Promise<GatewayError> =>
  errorOf(await response.json().catch(() => undefined), response.status, response.headers.get('Retry-After'));

/** Converts anything thrown to a GatewayError. Errors of aborted calls stay unchanged. */
export function asGatewayError(thrown: unknown): unknown {
  if (thrown instanceof GatewayError || !(thrown instanceof Error) || thrown.name === 'AbortError') return thrown;
  if (thrown.name === 'TimeoutError') return new GatewayError(0, 'TIMEOUT', 'The gateway did not answer in time.');
  return new GatewayError(0, 'UNREACHABLE', 'The gateway cannot be reached.');
}

/** Returns the sentence to show for anything that was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
