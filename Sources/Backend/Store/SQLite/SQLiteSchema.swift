/// The tables of Supabase Auth's `auth` schema that accounts and sign-ins use, in SQLite's words.
///
/// Names of tables and columns are the reference's. UUIDs are lower-case text, times are integers (microseconds since
/// 1970, UTC), JSON is checked text, enums are checked text. Indexes are the ones our statements use: an index on a
/// column that never differs (`instance_id`) or that nothing asks for would only make every write dearer.
/// Source: supabase-schema.md 8, 11.
enum SQLiteSchema {
    /// A version 4 UUID, where the reference's column has `gen_random_uuid()` or its code makes one nobody looks at.
    static let randomUUID = """
        (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' || \
        substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))))
        """
    static let zeroUUID = "'00000000-0000-0000-0000-000000000000'"
    static let now = "(CAST(strftime('%s', 'now') AS INTEGER) * 1000000)"

    static let accounts = """
        CREATE TABLE users (
            id TEXT NOT NULL PRIMARY KEY,
            instance_id TEXT DEFAULT \(zeroUUID),
            aud TEXT,
            role TEXT,
            email TEXT,
            encrypted_password TEXT,
            email_confirmed_at INTEGER,
            invited_at INTEGER,
            confirmation_token TEXT,
            confirmation_sent_at INTEGER,
            recovery_token TEXT,
            recovery_sent_at INTEGER,
            email_change_token_new TEXT,
            email_change TEXT,
            email_change_sent_at INTEGER,
            last_sign_in_at INTEGER,
            raw_app_meta_data TEXT CHECK (raw_app_meta_data IS NULL OR json_valid(raw_app_meta_data)),
            raw_user_meta_data TEXT CHECK (raw_user_meta_data IS NULL OR json_valid(raw_user_meta_data)),
            is_super_admin INTEGER,
            created_at INTEGER,
            updated_at INTEGER,
            phone TEXT UNIQUE,
            phone_confirmed_at INTEGER,
            phone_change TEXT DEFAULT '',
            phone_change_token TEXT DEFAULT '',
            phone_change_sent_at INTEGER,
            confirmed_at INTEGER GENERATED ALWAYS AS (
                coalesce(min(email_confirmed_at, phone_confirmed_at), email_confirmed_at, phone_confirmed_at)) VIRTUAL,
            email_change_token_current TEXT DEFAULT '',
            email_change_confirm_status INTEGER DEFAULT 0 CHECK (email_change_confirm_status BETWEEN 0 AND 2),
            banned_until INTEGER,
            reauthentication_token TEXT DEFAULT '',
            reauthentication_sent_at INTEGER,
            is_sso_user INTEGER NOT NULL DEFAULT 0,
            deleted_at INTEGER,
            is_anonymous INTEGER NOT NULL DEFAULT 0
        );
        CREATE UNIQUE INDEX users_email_partial_key ON users (email) WHERE is_sso_user = 0;
        CREATE UNIQUE INDEX confirmation_token_idx ON users (confirmation_token)
            WHERE confirmation_token GLOB '*[^0-9 ]*';
        CREATE UNIQUE INDEX recovery_token_idx ON users (recovery_token) WHERE recovery_token GLOB '*[^0-9 ]*';
        CREATE UNIQUE INDEX email_change_token_new_idx ON users (email_change_token_new)
            WHERE email_change_token_new GLOB '*[^0-9 ]*';
        CREATE UNIQUE INDEX email_change_token_current_idx ON users (email_change_token_current)
            WHERE email_change_token_current GLOB '*[^0-9 ]*';
        CREATE UNIQUE INDEX reauthentication_token_idx ON users (reauthentication_token)
            WHERE reauthentication_token GLOB '*[^0-9 ]*';
        CREATE INDEX users_phone_change_idx ON users (phone_change) WHERE phone_change <> '';
        CREATE INDEX users_aud_created_at_idx ON users (aud, created_at, id);
        CREATE INDEX users_is_anonymous_idx ON users (created_at) WHERE is_anonymous = 1;

        CREATE TABLE identities (
            provider_id TEXT NOT NULL,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            identity_data TEXT NOT NULL CHECK (json_valid(identity_data)),
            provider TEXT NOT NULL,
            last_sign_in_at INTEGER,
            created_at INTEGER,
            updated_at INTEGER,
            email TEXT GENERATED ALWAYS AS (lower(identity_data ->> 'email')) STORED,
            id TEXT NOT NULL PRIMARY KEY DEFAULT \(randomUUID),
            UNIQUE (provider_id, provider)
        );
        CREATE INDEX identities_email_idx ON identities (email);
        CREATE INDEX identities_user_id_idx ON identities (user_id, created_at);
        """

    static let sessions = """
        CREATE TABLE sessions (
            id TEXT NOT NULL PRIMARY KEY,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            created_at INTEGER,
            updated_at INTEGER,
            factor_id TEXT,
            aal TEXT CHECK (aal IN ('aal1', 'aal2', 'aal3')),
            not_after INTEGER,
            refreshed_at INTEGER,
            user_agent TEXT,
            ip TEXT,
            tag TEXT,
            oauth_client_id TEXT REFERENCES oauth_clients (id) ON DELETE CASCADE,
            refresh_token_hmac_key TEXT,
            refresh_token_counter INTEGER,
            scopes TEXT CHECK (length(scopes) <= 4096)
        );
        CREATE INDEX user_id_created_at_idx ON sessions (user_id, created_at);
        CREATE INDEX sessions_not_after_idx ON sessions (not_after) WHERE not_after IS NOT NULL;
        CREATE INDEX sessions_oauth_client_id_idx ON sessions (oauth_client_id) WHERE oauth_client_id IS NOT NULL;

        CREATE TABLE refresh_tokens (
            id INTEGER PRIMARY KEY,
            instance_id TEXT DEFAULT \(zeroUUID),
            token TEXT UNIQUE,
            user_id TEXT,
            revoked INTEGER,
            created_at INTEGER,
            updated_at INTEGER,
            parent TEXT,
            session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE
        );
        CREATE INDEX refresh_tokens_session_id_idx ON refresh_tokens (session_id);
        CREATE INDEX refresh_tokens_updated_at_idx ON refresh_tokens (updated_at) WHERE revoked = 1;

        CREATE TABLE mfa_amr_claims (
            session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            authentication_method TEXT NOT NULL,
            id TEXT NOT NULL DEFAULT \(randomUUID),
            PRIMARY KEY (session_id, authentication_method)
        ) WITHOUT ROWID;

        CREATE TABLE one_time_tokens (
            id TEXT NOT NULL,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            token_type TEXT NOT NULL CHECK (token_type IN ('confirmation_token', 'reauthentication_token',
                'recovery_token', 'email_change_token_new', 'email_change_token_current', 'phone_change_token')),
            token_hash TEXT NOT NULL CHECK (length(token_hash) > 0),
            relates_to TEXT NOT NULL,
            created_at INTEGER NOT NULL DEFAULT \(now),
            updated_at INTEGER NOT NULL DEFAULT \(now),
            PRIMARY KEY (user_id, token_type)
        ) WITHOUT ROWID;
        CREATE INDEX one_time_tokens_token_hash_hash_idx ON one_time_tokens (token_hash);
        CREATE INDEX one_time_tokens_relates_to_hash_idx ON one_time_tokens (relates_to);

        CREATE TABLE flow_state (
            id TEXT NOT NULL PRIMARY KEY,
            user_id TEXT,
            auth_code TEXT,
            code_challenge_method TEXT CHECK (code_challenge_method IN ('s256', 'plain')),
            code_challenge TEXT,
            provider_type TEXT NOT NULL,
            provider_access_token TEXT,
            provider_refresh_token TEXT,
            created_at INTEGER,
            updated_at INTEGER,
            authentication_method TEXT NOT NULL,
            auth_code_issued_at INTEGER,
            invite_token TEXT,
            referrer TEXT,
            oauth_client_state_id TEXT,
            linking_target_id TEXT,
            email_optional INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX flow_state_created_at_idx ON flow_state (created_at);
        CREATE INDEX idx_auth_code ON flow_state (auth_code) WHERE auth_code IS NOT NULL;
        CREATE INDEX idx_user_id_auth_method ON flow_state (user_id, authentication_method);

        CREATE TABLE oauth_client_states (
            id TEXT NOT NULL PRIMARY KEY,
            provider_type TEXT NOT NULL,
            code_verifier TEXT,
            created_at INTEGER NOT NULL
        );
        CREATE INDEX idx_oauth_client_states_created_at ON oauth_client_states (created_at);

        CREATE TABLE audit_log_entries (
            instance_id TEXT DEFAULT \(zeroUUID),
            id TEXT NOT NULL,
            payload TEXT CHECK (payload IS NULL OR json_valid(payload)),
            created_at INTEGER,
            ip_address TEXT NOT NULL DEFAULT ''
        );
        """

    static let factors = """
        CREATE TABLE mfa_factors (
            id TEXT NOT NULL PRIMARY KEY,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            friendly_name TEXT,
            factor_type TEXT NOT NULL CHECK (factor_type IN ('totp', 'webauthn', 'phone')),
            status TEXT NOT NULL CHECK (status IN ('unverified', 'verified')),
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            secret TEXT,
            phone TEXT,
            last_challenged_at INTEGER UNIQUE,
            web_authn_credential TEXT CHECK (web_authn_credential IS NULL OR json_valid(web_authn_credential)),
            web_authn_aaguid TEXT,
            last_webauthn_challenge_data TEXT
                CHECK (last_webauthn_challenge_data IS NULL OR json_valid(last_webauthn_challenge_data))
        );
        CREATE INDEX factor_id_created_at_idx ON mfa_factors (user_id, created_at);
        CREATE UNIQUE INDEX mfa_factors_user_friendly_name_unique ON mfa_factors (friendly_name, user_id)
            WHERE trim(friendly_name) <> '';
        CREATE UNIQUE INDEX unique_phone_factor_per_user ON mfa_factors (user_id, phone);
        CREATE INDEX mfa_factors_unverified_idx ON mfa_factors (created_at) WHERE status = 'unverified';

        CREATE TABLE mfa_challenges (
            id TEXT NOT NULL PRIMARY KEY,
            factor_id TEXT NOT NULL REFERENCES mfa_factors (id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            verified_at INTEGER,
            ip_address TEXT NOT NULL,
            otp_code TEXT,
            web_authn_session_data TEXT CHECK (web_authn_session_data IS NULL OR json_valid(web_authn_session_data))
        );
        CREATE INDEX mfa_challenge_created_at_idx ON mfa_challenges (created_at);
        CREATE INDEX mfa_challenge_factor_id_idx ON mfa_challenges (factor_id);

        CREATE TABLE webauthn_credentials (
            id TEXT NOT NULL PRIMARY KEY DEFAULT \(randomUUID),
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            credential_id BLOB NOT NULL UNIQUE,
            public_key BLOB NOT NULL,
            attestation_type TEXT NOT NULL DEFAULT '',
            aaguid TEXT,
            sign_count INTEGER NOT NULL DEFAULT 0,
            transports TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(transports)),
            backup_eligible INTEGER NOT NULL DEFAULT 0,
            backed_up INTEGER NOT NULL DEFAULT 0,
            friendly_name TEXT NOT NULL DEFAULT '',
            created_at INTEGER NOT NULL DEFAULT \(now),
            updated_at INTEGER NOT NULL DEFAULT \(now),
            last_used_at INTEGER
        );
        CREATE INDEX webauthn_credentials_user_id_idx ON webauthn_credentials (user_id);

        CREATE TABLE webauthn_challenges (
            id TEXT NOT NULL PRIMARY KEY DEFAULT \(randomUUID),
            user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
            challenge_type TEXT NOT NULL CHECK (challenge_type IN ('signup', 'registration', 'authentication')),
            session_data TEXT NOT NULL CHECK (json_valid(session_data)),
            created_at INTEGER NOT NULL DEFAULT \(now),
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX webauthn_challenges_expires_at_idx ON webauthn_challenges (expires_at);
        CREATE INDEX webauthn_challenges_user_id_idx ON webauthn_challenges (user_id) WHERE user_id IS NOT NULL;
        """
}
