import type { Client, ClientPathsWithMethod, FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { PathOr } from './path-refusal.ts';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** What a method resolves with. There is always `data`, since what is no success is thrown. */
export interface Answered<Operation extends Record<string | number, unknown>, Init> {
  readonly data: Exclude<FetchResponse<Operation, Init, 'application/json'>['data'], undefined>;
  readonly response: Response;
}

/** The parameters beside the path; may be left out when nothing is required. */
type Given<Init> =
  Partial<Init> extends Init ? [init?: Init & Record<string, unknown>] : [init: Init & Record<string, unknown>];

/** A path that is refused has no operations. */
type OperationsAt<Paths, Path> = Path extends keyof Paths ? Paths[Path] : never;

interface ThrowingMethod<Paths extends {}, M extends Method> {
  <
    // Other text is refused by the parameter, in a sentence.
    Path extends ClientPathsWithMethod<Client<Paths>, M> | (string & {}),
    Init extends MaybeOptionalInit<OperationsAt<Paths, Path>, M & keyof OperationsAt<Paths, Path>>,
  >(
    path: PathOr<Path, ClientPathsWithMethod<Client<Paths>, M>, Paths, Uppercase<M>>,
    ...init: Given<Init>
  ): Promise<
    Answered<OperationsAt<Paths, Path>[M & keyof OperationsAt<Paths, Path>] & Record<string | number, unknown>, Init>
  >;
  /** Nobody can call this overload: editors find the paths to complete there, and no error names it. */
  (path: ClientPathsWithMethod<Client<Paths>, M>, ...never: [never, never, never]): Promise<unknown>;
}

/** A client of openapi-fetch that throws every answer without success. */
export type ThrowingClient<Paths extends {}> = {
  readonly [M in Method as Uppercase<M>]: ThrowingMethod<Paths, M>;
} & Pick<Client<Paths>, 'request' | 'use' | 'eject'>;
