import type { ClientCertificate } from '../limits/admission.ts';

/**
 * What a caller showed of who it is, as far as it takes to judge it again when others are let in than were then. Nothing
 * of it lets anybody in.
 */
export type Credential =
  | {
      readonly kind: 'apiKey';
      /** SHA-256 of the key. */
      readonly hash: string;
    }
  | {
      /** A token of the gateway's own. */
      readonly kind: 'token';
      /** Tells one secret of a client from another. */
      readonly client: string;
      /** What the token claims. */
      readonly scopes: readonly string[];
    }
  | {
      /** A token of an identity provider. */
      readonly kind: 'jwt';
      /** How it was verified. */
      readonly rules: string;
      /** What the token claims. Undefined: nothing, and so whatever is granted. */
      readonly scopes: readonly string[] | undefined;
    }
  | { readonly kind: 'certificate'; readonly certificate: ClientCertificate };
