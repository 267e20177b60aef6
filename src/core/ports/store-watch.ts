/**
 * Rows of a store that are read again after a change, such as the modes of agents. The rows are authoritative; a notification
 * from another replica only makes the comparison happen earlier.
 */
export interface StoreTopic {
  /**
   * Calls `changed` soon, and again after each change by this replica or another one. It may also be called when nothing has
   * changed. It is never called before its last promise has settled. After a rejection it is called again, within `within`.
   *
   * @param within milliseconds in which a change by another replica is noticed, at most, while notifications do not arrive
   * @returns the function that stops listening
   */
  listen(within: number, changed: () => void | Promise<void>): () => void;
}

/** Topics of the store itself. Extensions have topics of their own tables. */
export interface StoreTopics {
  /**
   * Tasks of all owners. For some seconds after a change, `changed` is called again, because a task that is stored late has an
   * earlier time of change.
   */
  readonly tasks: StoreTopic;
  readonly agentModes: StoreTopic;
  /** The replicas, and whether they are alive. */
  readonly replicas: StoreTopic;
}
