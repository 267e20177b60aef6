/** Constraints on an agent's knowledge, as configured. */
export interface AlignmentSettings {
  /** Absolute path of a file of SHACL shapes in Turtle. */
  readonly shapes?: string;
  /** Absolute path of a module that exports rules by default. */
  readonly rules?: string;
  readonly protected?: ProtectionSettings;
  /** From 0 to 1: statements with less certainty are rejected. A statement without a certainty counts as certain. */
  readonly minCertainty?: number;
  /** Whether statements must have a provenance, or the keys that it must have. */
  readonly requireProvenance?: boolean | readonly string[];
  /** Whether updates must have a justification. */
  readonly requireJustification?: boolean;
}

/** Graphs and predicates with restricted access, by their ids, or by prefixes of ids followed by `*`. */
export interface ProtectionSettings {
  /** '' is the default graph. */
  readonly graphs?: Readonly<Record<string, AccessSettings>>;
  readonly predicates?: Readonly<Record<string, AccessSettings>>;
}

/** Ids of principals, or prefixes of ids followed by `*`. Writing requires the right to read. */
export interface AccessSettings {
  /** Absent: all principals. */
  readonly read?: readonly string[];
  /** Absent: no principal. */
  readonly write?: readonly string[];
}
