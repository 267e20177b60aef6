import type { Migration } from './step.ts';

/** An idempotency key names the call that holds it, so that a repeated statement recognises its own row. */
export const callNonces: Migration = {
  number: 8,
  name: 'call nonces',
  async up({ schema }, { text }) {
    await schema.alterTable('idempotency').addColumn('nonce', text).execute();
  },
};
