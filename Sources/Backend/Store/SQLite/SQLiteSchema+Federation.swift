/// The rest of the reference's tables (SSO, OAuth server, custom providers) and our own.
extension SQLiteSchema {
    static let singleSignOn = """
        CREATE TABLE sso_providers (
            id TEXT NOT NULL PRIMARY KEY,
            resource_id TEXT CHECK (length(resource_id) > 0),
            created_at INTEGER,
            updated_at INTEGER,
            disabled INTEGER
        );
        CREATE UNIQUE INDEX sso_providers_resource_id_idx ON sso_providers (lower(resource_id));

        CREATE TABLE sso_domains (
            id TEXT NOT NULL PRIMARY KEY,
            sso_provider_id TEXT NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
            domain TEXT NOT NULL CHECK (length(domain) > 0),
            created_at INTEGER,
            updated_at INTEGER
        );
        CREATE UNIQUE INDEX sso_domains_domain_idx ON sso_domains (lower(domain));
        CREATE INDEX sso_domains_sso_provider_id_idx ON sso_domains (sso_provider_id);

        CREATE TABLE saml_providers (
            id TEXT NOT NULL PRIMARY KEY,
            sso_provider_id TEXT NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
            entity_id TEXT NOT NULL UNIQUE CHECK (length(entity_id) > 0),
            metadata_xml TEXT NOT NULL CHECK (length(metadata_xml) > 0),
            metadata_url TEXT CHECK (length(metadata_url) > 0),
            attribute_mapping TEXT CHECK (attribute_mapping IS NULL OR json_valid(attribute_mapping)),
            created_at INTEGER,
            updated_at INTEGER,
            name_id_format TEXT
        );
        CREATE INDEX saml_providers_sso_provider_id_idx ON saml_providers (sso_provider_id);

        CREATE TABLE saml_relay_states (
            id TEXT NOT NULL PRIMARY KEY,
            sso_provider_id TEXT NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
            request_id TEXT NOT NULL CHECK (length(request_id) > 0),
            for_email TEXT,
            redirect_to TEXT,
            created_at INTEGER,
            updated_at INTEGER,
            flow_state_id TEXT REFERENCES flow_state (id) ON DELETE CASCADE
        );
        CREATE INDEX saml_relay_states_created_at_idx ON saml_relay_states (created_at);
        CREATE INDEX saml_relay_states_for_email_idx ON saml_relay_states (for_email);
        CREATE INDEX saml_relay_states_sso_provider_id_idx ON saml_relay_states (sso_provider_id);
        CREATE INDEX saml_relay_states_flow_state_id_idx ON saml_relay_states (flow_state_id)
            WHERE flow_state_id IS NOT NULL;
        """

    static let authorizationServer = """
        CREATE TABLE oauth_clients (
            id TEXT NOT NULL PRIMARY KEY,
            client_secret_hash TEXT,
            registration_type TEXT NOT NULL CHECK (registration_type IN ('dynamic', 'manual')),
            redirect_uris TEXT NOT NULL,
            grant_types TEXT NOT NULL,
            client_name TEXT CHECK (length(client_name) <= 1024),
            client_uri TEXT CHECK (length(client_uri) <= 2048),
            logo_uri TEXT CHECK (length(logo_uri) <= 2048),
            created_at INTEGER NOT NULL DEFAULT \(now),
            updated_at INTEGER NOT NULL DEFAULT \(now),
            deleted_at INTEGER,
            client_type TEXT NOT NULL DEFAULT 'confidential' CHECK (client_type IN ('public', 'confidential')),
            token_endpoint_auth_method TEXT NOT NULL
                CHECK (token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'none'))
        );
        CREATE INDEX oauth_clients_deleted_at_idx ON oauth_clients (deleted_at);

        CREATE TABLE oauth_authorizations (
            id TEXT NOT NULL PRIMARY KEY,
            authorization_id TEXT NOT NULL UNIQUE,
            client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
            user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
            redirect_uri TEXT NOT NULL CHECK (length(redirect_uri) <= 2048),
            scope TEXT NOT NULL CHECK (length(scope) <= 4096),
            state TEXT CHECK (length(state) <= 4096),
            resource TEXT CHECK (length(resource) <= 2048),
            code_challenge TEXT CHECK (length(code_challenge) <= 128),
            code_challenge_method TEXT CHECK (code_challenge_method IN ('s256', 'plain')),
            response_type TEXT NOT NULL DEFAULT 'code' CHECK (response_type IN ('code')),
            status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'denied', 'expired')),
            authorization_code TEXT UNIQUE CHECK (length(authorization_code) <= 255),
            created_at INTEGER NOT NULL DEFAULT \(now),
            expires_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + 180000000),
            approved_at INTEGER,
            nonce TEXT CHECK (length(nonce) <= 255),
            CHECK (expires_at > created_at)
        );
        CREATE INDEX oauth_auth_pending_exp_idx ON oauth_authorizations (expires_at) WHERE status = 'pending';
        CREATE INDEX oauth_auth_client_id_idx ON oauth_authorizations (client_id);
        CREATE INDEX oauth_auth_user_id_idx ON oauth_authorizations (user_id) WHERE user_id IS NOT NULL;

        CREATE TABLE oauth_consents (
            id TEXT NOT NULL PRIMARY KEY,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
            scopes TEXT NOT NULL CHECK (length(scopes) <= 2048) CHECK (length(trim(scopes)) > 0),
            granted_at INTEGER NOT NULL DEFAULT \(now),
            revoked_at INTEGER CHECK (revoked_at IS NULL OR revoked_at >= granted_at),
            UNIQUE (user_id, client_id)
        );
        CREATE INDEX oauth_consents_active_client_idx ON oauth_consents (client_id);
        CREATE INDEX oauth_consents_user_order_idx ON oauth_consents (user_id, granted_at);

        CREATE TABLE custom_oauth_providers (
            id TEXT NOT NULL PRIMARY KEY DEFAULT \(randomUUID),
            provider_type TEXT NOT NULL CHECK (provider_type IN ('oauth2', 'oidc')),
            identifier TEXT NOT NULL UNIQUE CHECK (length(identifier) BETWEEN 2 AND 50
                AND identifier NOT GLOB '*[^a-z0-9:-]*' AND identifier GLOB '[a-z0-9]*[a-z0-9]'),
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
            client_id TEXT NOT NULL CHECK (length(client_id) BETWEEN 1 AND 512),
            client_secret TEXT NOT NULL,
            acceptable_client_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(acceptable_client_ids)),
            scopes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(scopes)),
            pkce_enabled INTEGER NOT NULL DEFAULT 1,
            attribute_mapping TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(attribute_mapping)),
            authorization_params TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(authorization_params)),
            enabled INTEGER NOT NULL DEFAULT 1,
            email_optional INTEGER NOT NULL DEFAULT 0,
            issuer TEXT CHECK (length(issuer) BETWEEN 1 AND 2048),
            discovery_url TEXT CHECK (length(discovery_url) <= 2048),
            skip_nonce_check INTEGER NOT NULL DEFAULT 0,
            cached_discovery TEXT CHECK (cached_discovery IS NULL OR json_valid(cached_discovery)),
            discovery_cached_at INTEGER,
            authorization_url TEXT CHECK (length(authorization_url) <= 2048 AND authorization_url LIKE 'https://%'),
            token_url TEXT CHECK (length(token_url) <= 2048 AND token_url LIKE 'https://%'),
            userinfo_url TEXT CHECK (length(userinfo_url) <= 2048 AND userinfo_url LIKE 'https://%'),
            jwks_uri TEXT CHECK (length(jwks_uri) <= 2048 AND jwks_uri LIKE 'https://%'),
            created_at INTEGER NOT NULL DEFAULT \(now),
            updated_at INTEGER NOT NULL DEFAULT \(now),
            custom_claims_allowlist TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(custom_claims_allowlist)),
            CHECK (provider_type <> 'oauth2' OR (authorization_url IS NOT NULL AND token_url IS NOT NULL
                AND userinfo_url IS NOT NULL)),
            CHECK (provider_type <> 'oidc' OR (issuer IS NOT NULL AND issuer LIKE 'https://%')),
            CHECK (provider_type <> 'oidc' OR discovery_url IS NULL OR discovery_url LIKE 'https://%')
        );

        CREATE TABLE instances (
            id TEXT NOT NULL PRIMARY KEY,
            uuid TEXT,
            raw_base_config TEXT,
            created_at INTEGER,
            updated_at INTEGER
        );
        CREATE TABLE schema_migrations (version TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
        """

    /// What is ours alone.
    static let own = """
        CREATE TABLE drawbridge_outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            channel TEXT NOT NULL,
            recipient TEXT NOT NULL,
            payload TEXT NOT NULL CHECK (json_valid(payload)),
            created_at INTEGER NOT NULL,
            next_try_at INTEGER NOT NULL,
            tries INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX drawbridge_outbox_due_idx ON drawbridge_outbox (next_try_at);

        CREATE TABLE drawbridge_inbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            channel TEXT NOT NULL,
            recipient TEXT NOT NULL,
            sender TEXT NOT NULL,
            subject TEXT NOT NULL,
            html TEXT NOT NULL,
            text TEXT NOT NULL,
            code TEXT,
            link TEXT,
            created_at INTEGER NOT NULL
        );
        CREATE INDEX drawbridge_inbox_recipient_idx ON drawbridge_inbox (recipient);

        CREATE TABLE drawbridge_code_tries (
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            token_type TEXT NOT NULL,
            tries INTEGER NOT NULL,
            PRIMARY KEY (user_id, token_type)
        ) WITHOUT ROWID;

        CREATE TABLE drawbridge_probe (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL);
        """
}
