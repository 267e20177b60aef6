/** Settings that were removed, by their keys in a section, each with advice on its replacement. */
export type TakenOut = Readonly<Record<string, string>>;

const oneDatabase =
  'removed: a gateway has one database. Run a gateway for each database, and call it as an agent of kind upstream';

/** Removed sections of a configuration. */
export const formerSections: TakenOut = { stores: oneDatabase, tenants: oneDatabase };

/** Removed settings of every agent. */
export const formerOfAgents: TakenOut = {
  store: oneDatabase,
  eachAddress:
    'removed: the copies of an agent are those listed in url. List the URL of each copy, or give the URL of a load balancer with sticky sessions',
};

/**
 * Advice about an element in the list of URLs of an upstream agent, which could have a share of the new tasks in
 * earlier versions.
 */
export const formerShare =
  'shares were removed: configure the version to try as an agent of its own, and call it by its name';
