import type { Client, ClientPathsWithMethod, FetchResponse, MaybeOptionalInit } from 'openapi-fetch';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** What a method resolves with. There is always `data`, since what is no success is thrown. */
export interface Answered<Operation extends Record<string | number, unknown>, Init> {
  readonly data: Exclude<FetchResponse<Operation, Init, 'application/json'>['data'], undefined>;
  readonly response: Response;
}

/** What is given beside the path; it may be left out when nothing in it is required. */
type Given<Init> =
  Partial<Init> extends Init ? [init?: Init & Record<string, unknown>] : [init: Init & Record<string, unknown>];

type ThrowingMethod<Paths extends {}, M extends Method> = <
  Path extends ClientPathsWithMethod<Client<Paths>, M>,
  Init extends MaybeOptionalInit<Paths[Path], M & keyof Paths[Path]>,
>(
  path: Path,
  ...init: Given<Init>
) => Promise<Answered<Paths[Path][M & keyof Paths[Path]] & Record<string | number, unknown>, Init>>;

/** A client of openapi-fetch that throws every answer that is no success. */
export type ThrowingClient<Paths extends {}> = {
  readonly [M in Method as Uppercase<M>]: ThrowingMethod<Paths, M>;
} & Pick<Client<Paths>, 'request' | 'use' | 'eject'>;
