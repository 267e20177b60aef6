// Nothing here runs: the type checker holds the types of the typed clients.

import type * as v03 from '../../src/gen/clients/v0_3/grpc.ts';
import type * as v1 from '../../src/gen/clients/v1/grpc.ts';

type None<T extends never> = T;
type Keys<T> = keyof NonNullable<T>;

/** The typed client of the published version has none of the newest one's further fields. */
export type Published = None<
  Extract<
    | Keys<v1.Task>
    | Keys<v1.GetTaskRequest>
    | Keys<v1.SendMessageRequest['configuration']>
    | Keys<NonNullable<v1.ListTasksResponse['tasks']>[number]>
    | Keys<v1.StreamResponse['statusUpdate']>
    | Keys<v1.StreamResponse['artifactUpdate']>,
    'generation' | 'currentGeneration' | 'ifGenerationMatch'
  >
>;

type True<T extends true> = T;
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Differences from ProtoJSON: bytes are buffers, all fields may be missing, and enums may be unknown. */
export type Own = [
  True<Equal<v1.Part['raw'], Buffer | undefined>>,
  True<Equal<v03.FilePart['fileWithBytes'], Buffer | undefined>>,
  True<Equal<v1.Task['id'], string | undefined>>,
  True<Equal<v1.ListTasksResponse['tasks'], v1.Task[] | undefined>>,
  True<'UNRECOGNIZED' extends NonNullable<v1.TaskStatus['state']> ? true : false>,
];
