import type { Migration } from './step.ts';

const owner = ['agent', 'tenant', 'principal'] as const;

/** The owner of a push configuration, so that the configurations of all tasks of an owner can be listed. */
export const pushConfigOwners: Migration = {
  number: 2,
  name: 'push configuration owners',
  async up(db, { text }) {
    for (const name of owner) {
      await db.schema
        .alterTable('push_config')
        .addColumn(name, text, (column) => column.notNull().defaultTo(''))
        .execute();
    }
    await db
      .updateTable('push_config')
      .set(({ selectFrom }) =>
        Object.fromEntries(
          owner.map((name) => [
            name,
            selectFrom('task').select(`task.${name}`).whereRef('task.key', '=', 'push_config.key'),
          ]),
        ),
      )
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('task').select('task.key').whereRef('task.key', '=', 'push_config.key')),
      )
      .execute();
    await db.schema
      .createIndex('push_config_owned')
      .on('push_config')
      .columns([...owner, 'key', 'id'])
      .execute();
  },
};
