import type { VerifiedCredential } from './principals.ts';
import type { Revalidate } from './revalidation.ts';

/** Credentials that are remembered; beyond, those are forgotten that were verified longest ago. */
const max = 10_000;

/** Credentials that were verified, by their hashes. */
export class CredentialCache {
  readonly #byHash = new Map<string, VerifiedCredential>();

  /** What it turned out to be, as long as that holds. */
  get(hash: string): VerifiedCredential | undefined {
    const verified = this.#byHash.get(hash);
    if (verified === undefined || verified.until > Date.now()) return verified;
    this.#byHash.delete(hash);
    return undefined;
  }

  /** Takes over what another one knows, as far as it still counts. */
  inherit(former: CredentialCache | undefined, revalidate: Revalidate): void {
    if (!former) return;
    for (const [hash, verified] of former.#byHash) {
      const principal = revalidate(verified.principal);
      if (principal) this.set(hash, { ...verified, principal });
    }
  }

  set(hash: string, verified: VerifiedCredential): void {
    this.#byHash.set(hash, verified);
    if (this.#byHash.size <= max) return;
    const [oldest] = this.#byHash.keys();
    if (oldest !== undefined) this.#byHash.delete(oldest);
  }
}
