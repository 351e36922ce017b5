-- A secret that was chosen elsewhere may be short: it is kept as scrypt makes of it, with the cost and the salt beside it.
-- Null, as in every row so far: SHA-256 of a generated secret. Processes of the version before compare SHA-256 with
-- whatever is in secret_hash, and so refuse an imported secret, as they must.
ALTER TABLE "credentials" ADD COLUMN "secret_scrypt" TEXT;
