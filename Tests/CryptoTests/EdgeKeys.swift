/// Keys on the longer curves, made for these tests alone.
enum EdgeKeys {
    static let p384 = """
        {"kty":"EC","crv":"P-384",
        "x":"ZSDnGYXFBczKLup1XWfKZs4R7bek9gJ8EO34mZOKxVArk4imuTW4a3HPnBlVS-D4",
        "y":"eJaQwtrUEO4Ueoh9RBBIWYV_Hv_lbMAvaeH6s2gctmm3tm0O9Jpyufwu8HFrJfiy",
        "d":"Akk1FLwyhJD0CQev54cnZZTiN5I3YWIfoPRcE-IKaQ0YmR7kz6DBSstW8yUFsfWB"}
        """

    static let otherP384 = """
        {"kty":"EC","crv":"P-384",
        "x":"5ucr3HQweBi40qLpUoJvAUCxk8Tpf8rcNbRSHkqXIi-rE_1pm7qqO-kO1kpA5opz",
        "y":"Y5laA3-ciWpcP-hSA89679fIYl13OevcrCZ3n020hBl4iJh1EaVCkFprzl3yZcFI",
        "d":"W5TxGY5V8fypsAehYoLgWPLSubdUjY2Lwb96Q5KG7FahFl28b0WarYc457ukBHKV"}
        """

    static let p521 = """
        {"kty":"EC","crv":"P-521",
        "x":"AIZdcrsaDXKvwhQEprLm5XsPa4RZ8q94PZJ9N4_1_mty6awan196aLgIfD4Fp8Oi3FNMhPMmCuktWinN0o2vkEqs",
        "y":"AeksGpJw_UtGJGXoW6J8EWprZe2AM9arDKW-GXIg1AuHRcrRq2v914pwAPebgWfK3e5C1aYPK69j5R2yan6_AYw9",
        "d":"ACYOJe8YxtpQLzJFElNAG1IaVb59zb5g96x7jAf7HByVdYSQeg59-OYsJEwYg_PPkJtiRxu0qW2aJgJ2IMA80RL2"}
        """

    static let otherP521 = """
        {"kty":"EC","crv":"P-521",
        "x":"AT6GTPn7xQnIDBjKjQld2HKOHwX5w52v-X1bBWGgsV59UZLDDhGGBwNsgvo-msXTGOx6aydMFJLPQThGyk-BcWic",
        "y":"AaFpmrikqErrbSTtbkb8yoXHxaA27XcVOyc_V5-EKMIp6VDRW9WrajioxqFDKUOUofs4tyUIPAEq8AlOPcdCbl86",
        "d":"AaVUJeqmgryiWthqmqLa1ZfR9GO1_OITgGB3lYUd5OhBiDxuwf-vU7tsjHDLF847__NZDvP01vEz35ViHI7HMk00"}
        """
}
