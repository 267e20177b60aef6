import type { Migration } from './step.ts';

/** An idempotency key names the one call that has it, so that a statement that is repeated recognises its own row. */
export const callNonces: Migration = {
  number: 8,
  name: 'call nonces',
  async up({ schema }, { text }) {
    await schema.alterTable('idempotency').addColumn('nonce', text).execute();
  },
};
