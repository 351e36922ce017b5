/**
 * The type of a parameter that takes paths: a known path, and otherwise a sentence, which the compiler shows in place
 * of hundreds of paths.
 * @template Kind what a known path lacks: `DELETE`, `pages`.
 */
export type PathOr<Path, Known, Paths, Kind extends string> = Path extends Known ? Path : Refusal<Path, Paths, Kind>;

type Refusal<Path, Paths, Kind extends string> = Path extends string
  ? Path extends keyof Paths
    ? `${Path} has no ${Kind}`
    : Meant<Path> extends keyof Paths
      ? `write ${Meant<Path> & string}`
      : `the API has no path ${Path}`
  : never;

/** What the two most common mistakes were meant to be: without the version, and with a number where `{id}` stands. */
type Meant<Path extends string> = Path extends `/v1.0/${infer Collection}/${number}/${infer Rest}`
  ? `/v1.0/${Collection}/{id}/${Rest}`
  : Path extends `/v1.0/${infer Collection}/${number}`
    ? `/v1.0/${Collection}/{id}`
    : `/v1.0${Path}`;
