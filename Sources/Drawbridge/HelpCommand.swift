/// What the commands do and take.
enum HelpCommand {
    static let overview = """
        drawbridge: a Supabase-compatible auth gateway

          drawbridge serve         start the gateway (nothing has to be set up)
          drawbridge check         read and judge all settings, print what is in force
          drawbridge keys          list, make and revoke API keys
          drawbridge backup        copy the database of a running or stopped server
          drawbridge conformance   run recorded cases against a server, or compare two servers
          drawbridge version       print the version
          drawbridge help COMMAND

        """

    private static let texts: [String: String] = [
        "serve": """
        drawbridge serve [--listen [HOST:]PORT[=ENVFILE]]... [--data DIR] [--env-file FILE] [--loops N]

          --listen    where to listen (127.0.0.1:8000); may be repeated. With =ENVFILE that listener has the
                      settings of the file over all others, over the same data
          --data      folder of the database, keys and inbox (./drawbridge-data)
          --env-file  settings, below the environment
          --loops     event loops, 1 to 64 (one for each core)

        Ends with 0 after SIGTERM or SIGINT, when open requests are finished; a second signal ends at once. While
        /readyz is asked, SIGTERM first makes it 503 for DRAWBRIDGE_STOP_DELAY. 78 for wrong settings, 69 when an
        address or the data folder is in use. SIGHUP reads API keys and settings again.

        """,
        "check": """
        drawbridge check [--env-file FILE]

        Prints every setting in force with where it comes from; secrets are not shown. Ends with 0, or 78 with one
        line for each fault.

        """,
        "keys": """
        drawbridge keys list [--reveal] [--data DIR] [--env-file FILE]
        drawbridge keys new [--role anon|service_role] [--name NAME] [--expires 90d] [--data DIR]
        drawbridge keys new --algorithm ES256|RS256|EdDSA|HS256 [--name KID] [--data DIR] [--env-file FILE]
        drawbridge keys revoke NAME [--data DIR]

        Works on the data of a running server too, which takes the change over at once. A new key is shown once;
        only its SHA-256 is kept. --reveal also shows the keys that are derived from the folder's own secret.

        With --algorithm it makes a key for access tokens and prints the value of GOTRUE_JWT_KEYS: the new key signs,
        and the keys or the secret in force verify what they signed. Nothing is kept of it; set it and start again.

        """,
        "backup": """
        drawbridge backup FILE [--data DIR] [--env-file FILE]

        Writes a consistent copy of the database (mode 0600), while a server is running or not. FILE must not exist.

        """,
        "conformance": """
        drawbridge conformance CASES... --target URL | --launch COMMAND [--reference URL | --launch-reference COMMAND]

          CASES           case files, and folders of them
          --target        a server that runs already: the cases of the base configuration (--all: every case)
          --launch        a shell command that starts a server; settings, PORT and REPLAY_DIR are in its environment
          --reference     compare the target with this server live, without recorded answers; what the reference
                          answers differently a second time is noise
          --prefix        in front of every endpoint, such as /auth/v1 (--reference-prefix: the reference's)
          --only, --skip  the cases whose id contains this, or does not
          --list FILE     only the cases whose ids stand in this file
          --report PATH   writes PATH.json and PATH.html
          --known FILE    a JSON list of known deviations, marked as such; --accept-known does not count them
          --summary FILE  the results as {id: [lines]}
          --anon-key, --service-key, --jwt-secret   the target's own (@FILE reads a file); --reference-anon-key …
          --mail-port, --hook-port, --openid-port   fixed ports for the peers
          --environment   prints the settings that a server at --target needs for the cases
          --sql, --store, --faketime, --brief, --show-output   as docs/conformance.md says

        Ends with 0 if all passed, 1 if something differs, 2 if something could not be run.

        """,
        "version": "drawbridge version\n", "help": "drawbridge help [COMMAND]\n",
    ]

    static func run(_ command: String?) -> ExitStatus {
        guard let command else {
            Terminal.out(overview)
            return .ok
        }
        guard let text = texts[command] else {
            Terminal.error("drawbridge: there is no command \"\(command)\"\n" + overview)
            return .usage
        }
        Terminal.out(text)
        return .ok
    }
}
