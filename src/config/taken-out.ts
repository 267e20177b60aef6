/** Settings that this version has no more, by their keys in a section, each with what takes its place. */
export type TakenOut = Readonly<Record<string, string>>;

const oneDatabase =
  'taken out: a gateway has one database. Run a gateway for each database, and reach it by an agent of kind upstream';

/** Of a configuration. */
export const formerSections: TakenOut = { stores: oneDatabase, tenants: oneDatabase };

/** Of every agent. */
export const formerOfAgents: TakenOut = { store: oneDatabase };
