/** Settings that this version has no more, by their keys in a section, each with what takes its place. */
export type TakenOut = Readonly<Record<string, string>>;

const oneDatabase =
  'taken out: a gateway has one database. Run a gateway for each database, and reach it by an agent of kind upstream';

/** Of a configuration. */
export const formerSections: TakenOut = { stores: oneDatabase, tenants: oneDatabase };

/** Of every agent. */
export const formerOfAgents: TakenOut = {
  store: oneDatabase,
  eachAddress:
    'taken out: the copies of an agent are those in the list of url. List the URL of each, or give the URL of a load balancer that keeps clients at their server',
};

/** Of an element in the list of URLs of an upstream agent, which may have had a share of the new tasks. */
export const formerShare =
  'shares were taken out: make the version that is to be tried an agent of its own, and call it by its name';
