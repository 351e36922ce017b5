import { answerTimeBoundsMs } from '@callout/core/statistics';

const buckets = Array.from({ length: answerTimeBoundsMs.length + 1 }, (_, bucket) => bucket);

/** SQL: how many there are in each bucket, of a group of rows with a column `bucket` and their number `n`. */
export const bucketCounts = `ARRAY[${buckets.map((bucket) => `coalesce(sum(n) FILTER (WHERE bucket = ${bucket}), 0)`).join(', ')}]::int[]`;

/** SQL: the sums of the buckets of a group of rows with a column `answer_times`; a row may have none. */
export const bucketSums = `ARRAY[${buckets.map((bucket) => `coalesce(sum(answer_times[${bucket + 1}]), 0)`).join(', ')}]::int[]`;
