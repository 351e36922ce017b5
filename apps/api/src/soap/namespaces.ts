/** The namespace of version 1.6, which every element of this API is in. */
export const ATWS = 'http://autotask.net/ATWS/v1_6/';
