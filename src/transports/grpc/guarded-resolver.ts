import { experimental, status } from '@grpc/grpc-js';
import { type UrlGuard, UrlRefused } from '../../net/guard.ts';

/** The scheme of targets that a guard resolves. */
const scheme = 'guarded';
/** The option in which a channel hands its guard to the resolver. */
const option = 'a2a.guard';

/** Milliseconds between two look-ups: whoever resets every connection makes grpc-js ask anew at once, for ever. */
const pause = 1_000;

const { registerResolver, splitHostPort, statusOrFromError, statusOrFromValue } = experimental;
type Listener = experimental.ResolverListener;
type Target = experimental.GrpcUri;

/**
 * Resolves names through a guard. grpc-js connects to just the addresses that it is given here, and comes back when they
 * no longer answer; it knows when to by itself.
 */
class GuardedResolver implements experimental.Resolver {
  readonly #host: string;
  readonly #port: number;
  readonly #listener: Listener;
  readonly #guard: UrlGuard;
  /** The look-up that is under way; the answers of others are too late. */
  #current: symbol | undefined;
  #notBefore = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: Target, listener: Listener, options: Readonly<Record<string, unknown>>) {
    const { host, port = 443 } = splitHostPort(target.path) ?? { host: '' };
    this.#host = host;
    this.#port = port;
    this.#listener = listener;
    this.#guard = options[option] as UrlGuard;
  }

  updateResolution(): void {
    if (this.#current !== undefined || this.#timer !== undefined) return;
    const wait = this.#notBefore - performance.now();
    if (wait <= 0) {
      this.#resolve();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#resolve();
    }, wait);
    this.#timer.unref();
  }

  #resolve(): void {
    const current = Symbol();
    this.#current = current;
    this.#notBefore = performance.now() + pause;
    const port = this.#port;
    this.#guard.lookupAt(port)(this.#host, { all: true }, (error, answer) => {
      if (this.#current !== current) return;
      this.#current = undefined;
      const found = Array.isArray(answer) ? answer : [];
      const endpoints = found.map(({ address: host }): experimental.Endpoint => ({ addresses: [{ host, port }] }));
      const result = error
        ? statusOrFromError<experimental.Endpoint[]>({ code: status.UNAVAILABLE, details: this.#details(error) })
        : statusOrFromValue(endpoints);
      this.#listener(result, {}, null, '');
    });
  }

  destroy(): void {
    this.#current = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #details(error: Error): string {
    const why = error instanceof UrlRefused ? error.message : `for target ${this.#host}`;
    return `Name resolution failed: ${why}`;
  }

  static getDefaultAuthority({ path }: Target): string {
    return path;
  }
}

registerResolver(scheme, GuardedResolver);

/** What a channel is made with so that it connects to nothing but what the guard lets through. */
export const guardedChannel = (
  target: string,
  guard: UrlGuard,
): { readonly target: string; readonly options: Readonly<Record<string, unknown>> } => ({
  target: `${scheme}:///${target}`,
  // Else variables of the environment name a proxy, which would resolve the name once more.
  options: { [option]: guard, 'grpc.enable_http_proxy': 0 },
});
