/** What an agent's knowledge has to keep to, as configured. */
export interface AlignmentSettings {
  /** Absolute path of a file of SHACL shapes in Turtle. */
  readonly shapes?: string;
  /** Absolute path of a module that exports rules by default. */
  readonly rules?: string;
  readonly protected?: ProtectionSettings;
  /** From 0 to 1: what is stated with less is not taken in. What is stated without any counts as certain. */
  readonly minCertainty?: number;
  /** Whether statements must say where they are from, or the keys that their provenance must have. */
  readonly requireProvenance?: boolean | readonly string[];
  /** Whether updates must say what they are for. */
  readonly requireJustification?: boolean;
}

/** Graphs and predicates that are not for everyone, by their ids, or by the beginning of their ids with `*` after it. */
export interface ProtectionSettings {
  /** '' is the default graph. */
  readonly graphs?: Readonly<Record<string, AccessSettings>>;
  readonly predicates?: Readonly<Record<string, AccessSettings>>;
}

/** Ids of principals, or beginnings of ids with `*` after them. Who may not read may not write. */
export interface AccessSettings {
  /** Absent: everyone. */
  readonly read?: readonly string[];
  /** Absent: nobody. */
  readonly write?: readonly string[];
}
