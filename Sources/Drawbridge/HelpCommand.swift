/// What the commands do and take.
enum HelpCommand {
    static let overview = """
        drawbridge: a Supabase-compatible auth gateway

          drawbridge serve     start the gateway (nothing has to be set up)
          drawbridge check     read and judge all settings, print what is in force
          drawbridge keys      list, make and revoke API keys
          drawbridge backup    copy the database of a running or stopped server
          drawbridge version   print the version
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

        Ends with 0 after SIGTERM or SIGINT (open requests are finished; a second signal ends at once), 78 for
        wrong settings, 69 when an address or the data folder is in use. SIGHUP reads API keys and settings again.

        """,
        "check": """
        drawbridge check [--env-file FILE]

        Prints every setting in force with where it comes from; secrets are not shown. Ends with 0, or 78 with one
        line for each fault.

        """,
        "keys": """
        drawbridge keys list [--reveal] [--data DIR] [--env-file FILE]
        drawbridge keys new [--role anon|service_role] [--name NAME] [--expires 90d] [--data DIR]
        drawbridge keys revoke NAME [--data DIR]

        Works on the data of a running server too, which takes the change over at once. A new key is shown once;
        only its SHA-256 is kept. --reveal also shows the keys that are derived from the folder's own secret.

        """,
        "backup": """
        drawbridge backup FILE [--data DIR] [--env-file FILE]

        Writes a consistent copy of the database (mode 0600), while a server is running or not. FILE must not exist.

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
