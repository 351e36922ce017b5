import { answerTimeBoundsMs } from './answer-times.rules.ts';
import { classOfReason, failureClasses } from './failure-classes.rules.ts';

const buckets = Array.from({ length: answerTimeBoundsMs.length + 1 }, (_, bucket) => bucket);

/** SQL: the count of each bucket, of a group of rows with a column `bucket` and their number `n`. */
export const bucketCounts = `ARRAY[${buckets.map((bucket) => `coalesce(sum(n) FILTER (WHERE bucket = ${bucket}), 0)`).join(', ')}]::int[]`;

/** SQL: the sums of the buckets of a group of rows with a column `answer_times`; a row may have none. */
export const bucketSums = `ARRAY[${buckets.map((bucket) => `coalesce(sum(answer_times[${bucket + 1}]), 0)`).join(', ')}]::int[]`;

const reasons = Object.entries(classOfReason)
  .map(([reason, name]) => `WHEN '${reason}' THEN ${failureClasses.indexOf(name)}`)
  .join(' ');

/** SQL: the index of an attempt in `failureClasses`; -1: it was delivered, null: it failed and is in no class. */
export const failureClass = `CASE WHEN status BETWEEN 200 AND 299 THEN -1 WHEN status BETWEEN 300 AND 599 THEN status / 100 - 3
  WHEN status IS NULL THEN CASE failure_reason ${reasons} END END`;

/** SQL: the count of each class, of a group of rows with a column `class` and their number `n`. */
export const classCounts = `ARRAY[${failureClasses.map((_, place) => `coalesce(sum(n) FILTER (WHERE class = ${place}), 0)`).join(', ')}]::int[]`;

/** SQL: the sums of the classes of a group of rows with a column `failures`; a row may have none. */
export const classSums = `ARRAY[${failureClasses.map((_, place) => `coalesce(sum(failures[${place + 1}]), 0)`).join(', ')}]::int[]`;
